import {
  bamboo,
  buildkite,
  datadog,
  drone,
  github,
  jenkins,
  packagist,
  squashTm,
  teamcity,
} from '../builds/servers.ts';
import { hangouts, matrix, pumble, telegram, unifyCircuit, webex } from '../chat/chat.simple.ts';
import { discord } from '../chat/discord.ts';
import { irker } from '../chat/irker.ts';
import { chat } from '../chat/rooms.ts';
import { slack } from '../chat/slack.ts';
import { SLACK } from '../chat/style.ts';
import { teams } from '../chat/teams.ts';
import { emailsOnPush } from '../mails/emails-on-push.ts';
import { pipelinesEmail } from '../mails/pipelines-email.ts';
import { jira } from '../trackers/jira.ts';
import { asana, assembla, campfire, pivotal, pushover } from '../trackers/trackers.commits.ts';
import type { Handler } from './dispatch-context.ts';

/** Handlers of integrations that react to events, by slug. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['asana', asana],
  ['assembla', assembla],
  ['bamboo', bamboo],
  ['buildkite', buildkite],
  ['campfire', campfire],
  ['datadog', datadog],
  ['discord', chat(discord)],
  ['drone-ci', drone],
  ['emails-on-push', emailsOnPush],
  ['github', github],
  ['hangouts-chat', chat(hangouts, SLACK)],
  ['irker', irker],
  ['jenkins', jenkins],
  ['jira', jira],
  ['matrix', chat(matrix)],
  ['mattermost', chat(slack, SLACK)],
  ['microsoft-teams', chat(teams)],
  ['packagist', packagist],
  ['pipelines-email', pipelinesEmail],
  ['pivotaltracker', pivotal],
  ['pumble', chat(pumble, SLACK)],
  ['pushover', pushover],
  ['slack', chat(slack, SLACK)],
  ['squash-tm', squashTm],
  ['teamcity', teamcity],
  ['telegram', chat(telegram)],
  ['unify-circuit', chat(unifyCircuit)],
  ['webex-teams', chat(webex)],
]);
