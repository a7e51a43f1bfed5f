import { timingSafeEqual } from 'node:crypto';
import { jobCaller } from '../../../access/job-caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { Deps } from '../../../deps.ts';
import { SLACK } from '../../../integrations/chat/style.ts';
import { type ChatAccount, linkToken } from '../../../integrations/commands/link.ts';
import { effectiveIntegrations } from '../../../integrations/effective-integrations.ts';
import { isAllowed } from '../../../integrations/integrations.rules.ts';
import { openSettings, textOf } from '../../../integrations/integrations.settings.ts';
import { perMinute } from '../../../settings/throttles.ts';
import type { Origin } from '../../user-agent.ts';
import { deploy } from './deploy-command.ts';
import {
  type CommandScope,
  closeIssue,
  commentOnIssue,
  forbiddenResponse,
  newIssue,
  searchIssues,
  showIssue,
} from './issue-commands.ts';
import { parseCommand, USAGE } from './slash-commands.parse.ts';
import { type CommandResponse, ephemeralResponse } from './slash-commands.responses.ts';

/** Parameters sent by a chat. */
export interface SlashCommandRequest {
  token: string;
  team_id?: string;
  team_domain?: string;
  user_id?: string;
  user_name?: string;
  command?: string;
  text?: string;
}

/** Maximum number of commands per account, and of wrong tokens per project, in a minute. */
const PER_MINUTE = 60;
const WRONG_PER_MINUTE = 30;

/** Returns the integration of a chat. @throws ApiError 404, also for a wrong token, which hides whether it exists */
async function integrationOf(deps: Deps, id: string, slug: string, token: string) {
  const project = await findProject(deps, id);
  if (project === undefined) throw notFound('Integration');
  const [inForce] = await effectiveIntegrations(deps.db, { kind: 'project', id: project.project.id }, slug);
  const row = inForce?.row;
  const expected = row?.active === 1 && (await isAllowed(deps, row)) ? textOf(openSettings(deps, row))('token') : '';
  const isRight = timingSafeEqual(Buffer.from(tokenDigest(expected)), Buffer.from(tokenDigest(token)));
  if (row === undefined || expected === '' || !isRight) {
    deps.limiter.check('slash_command_tokens', String(project.project.id), perMinute(WRONG_PER_MINUTE));
    throw notFound('Integration');
  }
  return { ...project, row };
}

/** Returns the active user linked to a chat account. */
async function userOf(deps: Deps, { integration_id, team_id, chat_id }: ChatAccount) {
  const row = await deps.db
    .selectFrom('chat_names')
    .selectAll()
    .where('integration_id', '=', integration_id)
    .where('team_id', '=', team_id)
    .where('chat_id', '=', chat_id)
    .executeTakeFirst();
  if (row === undefined) return null;
  await deps.db
    .updateTable('chat_names')
    .set({ last_used_at: timestamp(deps.clock) })
    .where('id', '=', row.id)
    .execute();
  return jobCaller(deps, row.user_id);
}

/** Instructions for linking an account through the API, since there are no pages. */
const invitation = (deps: Deps, account: ChatAccount): CommandResponse =>
  ephemeralResponse(
    `:wave: Hi there! Before I do anything for you, please link this chat account to your user. Send this request with your access token within ten minutes:\n\`curl --request POST --header "PRIVATE-TOKEN: YOUR_ACCESS_TOKEN" "${deps.externalUrl()}/api/v4/user/chat_names" --data-urlencode "token=${linkToken(deps, account)}"\``,
  );

const help = (command: string): CommandResponse =>
  ephemeralResponse([`Available commands of ${command}:`, ...USAGE.map((line) => `• ${line}`)].join('\n'));

/**
 * Runs a command from a chat as the user linked to the chat account.
 * @param slug slug of the integration
 * @throws ApiError 404 if there is none with the token, 429
 */
export async function runCommand(
  deps: Deps,
  { id, slug, input, origin }: { id: string; slug: string; input: SlashCommandRequest; origin: Origin },
): Promise<CommandResponse> {
  const { project, namespace, row } = await integrationOf(deps, id, slug, input.token);
  const { team_id = '', user_id: chat_id = '', team_domain = null, user_name: chat_name = null } = input;
  if (team_id === '' || chat_id === '')
    return ephemeralResponse('The request does not name the chat account that ran the command.');
  deps.limiter.check('slash_commands', `${row.id}:${team_id}:${chat_id}`, perMinute(PER_MINUTE));
  const account = { integration_id: row.id, team_id, team_domain, chat_id, chat_name };
  const caller = await userOf(deps, account);
  if (caller === null) return invitation(deps, account);
  if (caller === undefined) return ephemeralResponse('Your user is not active.');
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_project')) return forbiddenResponse();
  try {
    return await run(deps, { project, namespace, permissions, caller }, input, origin);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429)
      return ephemeralResponse(SLACK.plain(error.message));
    throw error;
  }
}

async function run(deps: Deps, scope: CommandScope, { text = '', command = '' }: SlashCommandRequest, origin: Origin) {
  const parsed = parseCommand(text);
  switch (parsed?.kind) {
    case 'issue show':
      return showIssue(deps, scope, parsed.iid);
    case 'issue new':
      return newIssue(deps, scope, parsed, origin);
    case 'issue search':
      return searchIssues(deps, scope, parsed.query);
    case 'issue close':
      return closeIssue(deps, scope, parsed.iid);
    case 'issue comment':
      return commentOnIssue(deps, scope, parsed);
    case 'deploy':
      return deploy(deps, scope, parsed);
    case 'help':
    case undefined:
      return help(SLACK.plain(command || '/gitlab'));
  }
}
