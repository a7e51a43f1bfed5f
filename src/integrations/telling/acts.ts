import { discord } from '../chat/discord.ts';
import { irker } from '../chat/irker.ts';
import { chat } from '../chat/rooms.ts';
import { hangouts, matrix, pumble, telegram, unifyCircuit, webex } from '../chat/simple.ts';
import { slack } from '../chat/slack.ts';
import { SLACK } from '../chat/style.ts';
import { teams } from '../chat/teams.ts';
import type { Act } from './work.ts';

/** What integrations do that do anything when something happens, by slug. */
export const ACTS: ReadonlyMap<string, Act> = new Map<string, Act>([
  ['discord', chat(discord)],
  ['hangouts-chat', chat(hangouts, SLACK)],
  ['irker', irker],
  ['matrix', chat(matrix)],
  ['mattermost', chat(slack, SLACK)],
  ['microsoft-teams', chat(teams)],
  ['pumble', chat(pumble, SLACK)],
  ['slack', chat(slack, SLACK)],
  ['telegram', chat(telegram)],
  ['unify-circuit', chat(unifyCircuit)],
  ['webex-teams', chat(webex)],
]);
