import { timestamp } from '../../../../core/clock.ts';
import { invalidModel } from '../../../../core/core.errors.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { recordState } from '../../resource-events/resource-events.record.ts';
import { markTodosDone } from '../../todos/todos.record.ts';
import { areRelated, refuseDuplicate, tipOf } from './branches.ts';
import { projectOf } from './merge-requests.projects.ts';
import { uncheckedStatus } from './merge-status.ts';
import { dropOutdatedApprovals } from './missed-push.ts';

/**
 * Closes an open merge request or reopens a closed one, within a transaction; no effect in other states.
 * @param row the row, locked by the transaction
 * @returns whether it was reopened, so that version, rules and mergeability must be updated
 * @throws ApiError 409 where another one is open between the same branches by now, 400 where the source is not there
 *   any more
 */
export async function applyStateEvent(
  deps: Deps,
  db: Db,
  row: MergeRequest,
  event: 'close' | 'reopen' | undefined,
  actorId: number,
): Promise<boolean> {
  if (event === 'close' && row.state === 'opened') {
    await closeMergeRequest(deps, db, row, actorId);
    return false;
  }
  if (event !== 'reopen' || row.state !== 'closed') return false;
  await refuseDuplicate(db, row, row.id);
  await reopen(deps, db, row, actorId);
  return true;
}

/** Closes an open merge request. @param row locked by the transaction @param actorId null for the system */
export async function closeMergeRequest(deps: Deps, db: Db, row: MergeRequest, actorId: number | null): Promise<void> {
  const now = timestamp(deps.clock);
  const closed = await db
    .updateTable('merge_requests')
    .set({
      state: 'closed',
      closed_at: now,
      closed_by_id: actorId,
      auto_merge: 0,
      merge_params: '{}',
      merge_user_id: null,
      updated_at: now,
      updated_by_id: actorId,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await tell(deps, db, closed, actorId, 'closed');
  if (actorId !== null) await markTodosDone(deps, db, { type: 'MergeRequest', id: row.id }, actorId);
}

/** Reopens a merge request with the current head of its source branch. */
async function reopen(deps: Deps, db: Db, row: MergeRequest, actorId: number): Promise<void> {
  const now = timestamp(deps.clock);
  const head = await currentHead(deps, db, row);
  const opened = await db
    .updateTable('merge_requests')
    .set((eb) => ({
      state: 'opened',
      closed_at: null,
      closed_by_id: null,
      head_sha: head,
      approvals_syncing: 1,
      merge_status: uncheckedStatus(eb),
      updated_at: now,
      updated_by_id: actorId,
    }))
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (head !== row.head_sha) await dropOutdatedApprovals(db, row);
  await tell(deps, db, opened, actorId, 'reopened');
}

/** @throws ApiError 400 if the source branch or its fork no longer exists */
async function currentHead(deps: Deps, db: Db, row: MergeRequest): Promise<string> {
  const { project_id, source_project_id, source_branch } = row;
  const source = await projectOf(db, source_project_id);
  const target = await projectOf(db, project_id);
  if (source === undefined || target === undefined || !areRelated(source, target)) {
    throw invalidModel({ source_project: ['is no longer a fork of the target project'] });
  }
  const head = await tipOf(deps, source, source_branch);
  if (head === null) throw invalidModel({ source_branch: ['does not exist'] });
  return head;
}

async function tell(
  deps: Deps,
  db: Db,
  row: MergeRequest,
  actorId: number | null,
  state: 'closed' | 'reopened',
): Promise<void> {
  const { id, project_id } = row;
  const about = { type: 'MergeRequest', id, projectId: project_id } as const;
  await writeSystemNote(deps, db, about, actorId ?? row.author_id, state, state);
  await recordState(deps, db, about, actorId, state);
  await deps.events.record(
    db,
    `merge_request.${state}`,
    { merge_request_id: id, project_id, merge_request: mergeRequestFacts(row) },
    { projectId: project_id, actorId },
  );
}
