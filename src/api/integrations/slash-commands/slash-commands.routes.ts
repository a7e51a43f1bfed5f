import { Type } from 'typebox';
import { type Route, route } from '../../../http/http.route.ts';
import { Secret } from '../../../http/http.schema.ts';
import { openAbility } from '../../api.access.ts';
import { originOf } from '../../user-agent.ts';
import { CommandResponse } from './slash-commands.responses.ts';
import { runCommand, type SlashCommandRequest } from './slash-commands.trigger.ts';

const word = (description: string, example: string) =>
  Type.Optional(Type.String({ description, maxLength: 255, examples: [example] }));

/** Parameters sent by Slack and Mattermost for a command; others are ignored. */
const input = Type.Object({
  token: Secret({ description: 'Token of the integration.', maxLength: 4_096 }),
  team_id: word('Id of the chat team.', 'T0001'),
  team_domain: word('Name of the chat team.', 'example'),
  user_id: word('Id of the chat account that ran the command.', 'U2147483697'),
  user_name: word('Name of the chat account.', 'ann'),
  command: word('Name of the command in the chat.', '/stithy'),
  text: Type.Optional(
    Type.String({
      description:
        '`issue show <id>`, `issue new <title>` and a description on the lines after it, `issue search <words>`, `issue close <id>`, `issue comment <id>` and the comment on the lines after it, `deploy <environment> to <environment>`, or `help`.',
      maxLength: 65_536,
      examples: ['issue show 1'],
    }),
  ),
});

const CHATS = [
  ['mattermost-slash-commands', 'Mattermost'],
  ['slack-slash-commands', 'Slack'],
] as const;

const trigger = (slug: string, chat: string, word: string): Route =>
  route({
    method: 'POST',
    path: `/projects/:id/${word}/${slug}/trigger`,
    summary: `Run a slash command from ${chat}${word === 'services' ? ' by its deprecated URL' : ''}`,
    description:
      'Runs as the user linked to the chat account. The response is shown in the chat; an unlinked account gets instructions for linking it.',
    access: openAbility('run_chat_command'),
    params: Type.Object({ id: Type.String({ description: 'Id or path of the project.' }) }),
    input,
    success: { status: 200, schema: CommandResponse },
    errors: [400, 404, 429],
    handler: ({ deps, params, input, request }) =>
      runCommand(deps, { id: params.id, slug, input: input as SlashCommandRequest, origin: originOf(request) }),
  });

/** Slash commands (`mattermost-slash-commands`, `slack-slash-commands`). */
export const slashCommandRoutes: readonly Route[] = CHATS.flatMap(([slug, chat]) =>
  ['integrations', 'services'].map((word) => trigger(slug, chat, word)),
);
