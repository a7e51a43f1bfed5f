import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { CloseReason } from '../../../core/event-payloads.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { projectUrl } from '../../code/index.ts';
import { issueUrl, mergeRequestUrl } from '../../planning/index.ts';
import type { Part } from '../mails/dispatch.ts';
import { line } from '../mails/notification-mails.block.ts';
import { projectContextOf } from '../recipients/project-context.ts';
import type { Topic } from '../topics/topic.ts';
import type { Participants } from './message-participants.ts';
import { actorName, messageOf } from './messages.changes.ts';

/** The cause of a closing, if it still exists. */
interface Cause {
  topic: Topic;
  text: string;
}

/** Parts about a closed or moved issue. Its cause is only for users who may read that. */
export async function closingParts(
  deps: Deps,
  { actor }: { actor: User | null },
  participants: Participants,
  { how = {} }: DomainEvents['issue.closed'],
): Promise<Part[]> {
  const moved = how.moved_to_id !== undefined;
  const news = messageOf(participants, actor, moved ? null : 'close_issue');
  const text = moved
    ? `${actorName(actor)} moved the issue to another project.`
    : `${actorName(actor)} closed the issue.`;
  const cause = await causeOf(deps, how);
  return [
    { sentences: [line(text)], message: news },
    ...(cause === undefined ? [] : [{ sentences: [line(cause.text)], message: news, about: cause.topic }]),
  ];
}

async function causeOf(deps: Deps, how: CloseReason): Promise<Cause | undefined> {
  if (how.moved_to_id !== undefined) return movedTo(deps, how.moved_to_id);
  if (how.merge_request_id !== undefined) return byMergeRequest(deps, how.merge_request_id);
  if (how.commit_sha !== undefined && how.project_id !== undefined) {
    return byCommit(deps, how.project_id, how.commit_sha);
  }
  return undefined;
}

async function movedTo(deps: Deps, id: number): Promise<Cause | undefined> {
  const query = deps.db.selectFrom('issues').select(['iid', 'project_id']).where('id', '=', id);
  const row = await query.executeTakeFirst();
  const place = row && (await projectContextOf(deps.db, row.project_id));
  if (row === undefined || place === undefined) return undefined;
  const path = place.project.full_path;
  return { topic: { type: 'Issue', id }, text: `It continues as ${path}#${row.iid}: ${issueUrl(deps, path, row.iid)}` };
}

async function byMergeRequest(deps: Deps, id: number): Promise<Cause | undefined> {
  const query = deps.db.selectFrom('merge_requests').select(['iid', 'project_id']).where('id', '=', id);
  const row = await query.executeTakeFirst();
  const place = row && (await projectContextOf(deps.db, row.project_id));
  if (row === undefined || place === undefined) return undefined;
  const path = place.project.full_path;
  const address = mergeRequestUrl(deps, path, row.iid);
  return { topic: { type: 'MergeRequest', id }, text: `It was closed by merge request ${path}!${row.iid}: ${address}` };
}

async function byCommit(deps: Deps, projectId: number, sha: string): Promise<Cause | undefined> {
  const place = await projectContextOf(deps.db, projectId);
  if (place === undefined) return undefined;
  const { project } = place;
  const address = `${projectUrl(deps, project)}/-/commit/${sha}`;
  const topic = { type: 'Commit', projectId, noteIds: [] } as const;
  return { topic, text: `It was closed by commit ${project.full_path}@${sha.slice(0, 8)}: ${address}` };
}
