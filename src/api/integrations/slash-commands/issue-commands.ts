import { allowsOn } from '../../../access/ability-target.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { truncate } from '../../../core/truncate.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { SLACK } from '../../../integrations/chat/style.ts';
import type { ProjectScope } from '../../api.access.ts';
import { usersById } from '../../identity/index.ts';
import {
  comment,
  countNote,
  createActingIssue,
  findIssue,
  issuableTarget,
  issueUrl,
  mayComment,
  pageOfIssuables,
  selectIssues,
  updateIssue,
} from '../../planning/index.ts';
import type { Origin } from '../../user-agent.ts';
import { type CommandResponse, channelResponse, ephemeralResponse } from './slash-commands.responses.ts';

/** Project and user of a command. */
export type CommandScope = ProjectScope & { caller: UserCaller };

/** Maximum number of issues in a search result. */
const MAX_RESULTS = 5;
const MAX_TEXT = 1_000;
const OPEN_COLOUR = '#C95823';
const CLOSED_COLOUR = '#4E5D6C';

export const forbiddenResponse = () => ephemeralResponse('Whoops! This action is not allowed for you in this project.');
const notFound = () => ephemeralResponse('404 not found! Please make sure you use the right identifier. :boom:');

/** Returns an issue by number; undefined if there is none that the user may read. */
async function issueOf(deps: Deps, scope: CommandScope, iid: number): Promise<Issue | undefined> {
  if (!scope.permissions.can('read_issue')) return undefined;
  return findIssue(deps.db, scope, iid).catch(() => undefined);
}

const linkOf = (deps: Deps, { project }: CommandScope, { iid, title }: Issue): string =>
  SLACK.link(SLACK.plain(`#${iid} ${title}`), issueUrl(deps, project.full_path, iid));

async function attachmentOf(deps: Deps, { project }: CommandScope, issue: Issue) {
  const title = `${issue.title} · #${issue.iid}`;
  const assigned = await deps.db
    .selectFrom('issuable_assignees')
    .select('user_id')
    .where('issuable_type', '=', 'Issue')
    .where('issuable_id', '=', issue.id)
    .orderBy('user_id')
    .limit(MAX_RESULTS)
    .execute();
  const ids = assigned.map(({ user_id }) => user_id);
  const people = await usersById(deps.db, [issue.author_id, ...ids]);
  const nameOf = (id: number) => SLACK.plain(people.get(id)?.name ?? '');
  return {
    fallback: title,
    title: SLACK.plain(title),
    title_link: issueUrl(deps, project.full_path, issue.iid),
    ...(issue.description ? { text: SLACK.plain(truncate(issue.description, MAX_TEXT)) } : {}),
    color: issue.state === 'opened' ? OPEN_COLOUR : CLOSED_COLOUR,
    fields: [
      { title: 'Author', value: nameOf(issue.author_id), short: true },
      { title: 'Assignee', value: ids.length === 0 ? '_None_' : ids.map(nameOf).join(', '), short: true },
    ],
  };
}

/** Responds to the whole channel only for issues that are not confidential. */
const seenBy = ({ confidential }: Issue) => (confidential === 1 ? ephemeralResponse : channelResponse);

export async function showIssue(deps: Deps, scope: CommandScope, iid: number): Promise<CommandResponse> {
  const issue = await issueOf(deps, scope, iid);
  if (issue === undefined) return notFound();
  const state = issue.state === 'opened' ? 'Open' : 'Closed';
  const text = `Issue ${linkOf(deps, scope, issue)} of ${SLACK.plain(scope.project.full_path)}: ${state}`;
  return { ...seenBy(issue)(text), attachments: [await attachmentOf(deps, scope, issue)] };
}

export async function newIssue(
  deps: Deps,
  scope: CommandScope,
  input: { title: string; description: string },
  origin: Origin,
): Promise<CommandResponse> {
  if (!scope.permissions.can('create_issue')) return forbiddenResponse();
  const issue = await createActingIssue(deps, scope, input, origin);
  const response = channelResponse(`I created an issue on your behalf: ${linkOf(deps, scope, issue)}`);
  return { ...response, attachments: [await attachmentOf(deps, scope, issue)] };
}

export async function searchIssues(deps: Deps, scope: CommandScope, query: string): Promise<CommandResponse> {
  if (!scope.permissions.can('read_issue')) return forbiddenResponse();
  const selection = await selectIssues(deps, scope.caller, { project: scope }, { search: query });
  const rows = deps.db.selectFrom('issues').selectAll('issues');
  const matches = await pageOfIssuables(deps, rows, selection, { offset: 0, size: MAX_RESULTS });
  if (matches.rows.length === 0) return notFound();
  const lines = matches.rows.map((issue) => `${linkOf(deps, scope, issue)} (${issue.state})`);
  const head =
    matches.total > matches.rows.length
      ? `Here are the first ${matches.rows.length} issues I found:`
      : 'Here are the issues I found:';
  return ephemeralResponse([head, ...lines].join('\n'));
}

export async function closeIssue(deps: Deps, scope: CommandScope, iid: number): Promise<CommandResponse> {
  const issue = await issueOf(deps, scope, iid);
  if (issue === undefined) return notFound();
  const target = issuableTarget(deps.db, 'Issue', issue, scope.caller.user.id);
  if (!(await allowsOn(scope.permissions, 'update_issue', target))) return forbiddenResponse();
  if (issue.state === 'closed') return ephemeralResponse(`Issue ${linkOf(deps, scope, issue)} is already closed.`);
  const closed = await updateIssue(deps, scope, issue, { state_event: 'close' });
  return seenBy(closed)(`I closed an issue on your behalf: ${linkOf(deps, scope, closed)}`);
}

export async function commentOnIssue(
  deps: Deps,
  scope: CommandScope,
  { iid, body }: { iid: number; body: string },
): Promise<CommandResponse> {
  const issue = await issueOf(deps, scope, iid);
  if (issue === undefined) return notFound();
  const noteable = {
    type: 'Issue',
    id: issue.id,
    iid,
    projectId: scope.project.id,
    authorId: issue.author_id,
    locked: issue.discussion_locked === 1,
    confidential: issue.confidential === 1,
  } as const;
  if (!mayComment(scope.permissions, noteable)) return forbiddenResponse();
  countNote(deps, scope);
  const { note, summary } = await comment(deps, scope, noteable, { body, type: null });
  if (note === null) return ephemeralResponse(summary.join(' '));
  return ephemeralResponse(`You commented on issue ${linkOf(deps, scope, issue)}.`);
}
