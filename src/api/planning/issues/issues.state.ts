import { timestamp } from '../../../core/clock.ts';
import { issueFacts } from '../../../core/event-facts.ts';
import type { CloseReason } from '../../../core/event-payloads.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { recordState, type StateSource } from '../resource-events/resource-events.record.ts';
import { markTodosDone } from '../todos/todos.record.ts';

/** What closed an issue, if not a request of a user. */
export interface ClosedBy {
  mergeRequestIid?: number;
  commitSha?: string;
  /** Full path of the project of the merge request or commit, if it is not the project of the issue. */
  projectPath?: string;
  /** Ids of the merge request or commit, for events. */
  source?: StateSource;
  /** Id of the new issue after a move. */
  movedToId?: number;
}

function closingText({ mergeRequestIid, commitSha, projectPath = '' }: ClosedBy): string {
  if (mergeRequestIid !== undefined) return `closed via merge request ${projectPath}!${mergeRequestIid}`;
  if (commitSha !== undefined) return `closed via commit ${projectPath === '' ? '' : `${projectPath}@`}${commitSha}`;
  return 'closed';
}

/**
 * Closes an issue within a transaction, with system note and event.
 * @returns the closed issue; null if it was already closed
 */
export async function closeIssue(
  deps: Deps,
  db: Db,
  issue: Pick<Issue, 'id' | 'project_id'>,
  actorId: number,
  how: ClosedBy = {},
): Promise<Issue | null> {
  const now = timestamp(deps.clock);
  const closed = await db
    .updateTable('issues')
    .set({ state: 'closed', closed_at: now, closed_by_id: actorId, updated_at: now, updated_by_id: actorId })
    .where('id', '=', issue.id)
    .where('state', '=', 'opened')
    .returningAll()
    .executeTakeFirst();
  if (closed === undefined) return null;
  await tell(deps, db, closed, actorId, 'closed', closingText(how), how);
  await markTodosDone(deps, db, { type: 'Issue', id: issue.id }, actorId);
  return closed;
}

/**
 * Reopens an issue within a transaction, with system note and event.
 * @returns the open issue; null if it was already open
 */
export async function reopenIssue(
  deps: Deps,
  db: Db,
  issue: Pick<Issue, 'id' | 'project_id'>,
  actorId: number,
): Promise<Issue | null> {
  const opened = await db
    .updateTable('issues')
    .set({
      state: 'opened',
      closed_at: null,
      closed_by_id: null,
      updated_at: timestamp(deps.clock),
      updated_by_id: actorId,
    })
    .where('id', '=', issue.id)
    .where('state', '=', 'closed')
    .returningAll()
    .executeTakeFirst();
  if (opened === undefined) return null;
  await tell(deps, db, opened, actorId, 'reopened', 'reopened');
  return opened;
}

/** Stores the source of a closing note, so that only users who may see the source see the note. */
async function nameSource(
  deps: Deps,
  db: Db,
  { id, projectId }: { id: number; projectId: number },
  noteId: number,
  source: StateSource,
): Promise<void> {
  await db
    .insertInto('cross_references')
    .values({
      target_type: 'Issue',
      target_id: id,
      source_type: source.mergeRequestId === undefined ? 'Commit' : 'MergeRequest',
      source_id: source.mergeRequestId ?? null,
      source_sha: source.commitSha ?? null,
      // Mentions are recorded once; closings are recorded every time.
      source_key: `Closed:${noteId}`,
      source_project_id: source.projectId,
      target_project_id: projectId,
      note_id: noteId,
      created_at: timestamp(deps.clock),
    })
    .execute();
}

/** Reason of a closing, for events. */
function howOf(source: StateSource | undefined, movedToId: number | undefined): CloseReason | undefined {
  if (movedToId !== undefined) return { moved_to_id: movedToId };
  if (source === undefined) return undefined;
  const { mergeRequestId, commitSha, projectId } = source;
  return {
    project_id: projectId,
    ...(mergeRequestId === undefined ? {} : { merge_request_id: mergeRequestId }),
    ...(commitSha === undefined ? {} : { commit_sha: commitSha }),
  };
}

async function tell(
  deps: Deps,
  db: Db,
  issue: Issue,
  actorId: number,
  action: 'closed' | 'reopened',
  text: string,
  { source, movedToId }: Pick<ClosedBy, 'source' | 'movedToId'> = {},
): Promise<void> {
  const { id, project_id } = issue;
  const about = { type: 'Issue', id, projectId: project_id } as const;
  const noteId = await writeSystemNote(deps, db, about, actorId, action, text);
  if (source !== undefined) await nameSource(deps, db, about, noteId, source);
  await recordState(deps, db, about, actorId, action, source);
  const how = howOf(source, movedToId);
  const payload = { issue_id: id, project_id, issue: issueFacts(issue), ...(how === undefined ? {} : { how }) };
  await deps.events.record(db, `issue.${action}`, payload, { projectId: project_id, actorId });
}
