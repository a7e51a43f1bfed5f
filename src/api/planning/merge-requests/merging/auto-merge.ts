import type { UserCaller } from '../../../../access/caller.ts';
import { callerInProject } from '../../../../access/caller-in-project.ts';
import { jobCaller } from '../../../../access/job-caller.ts';
import { transactionDeps } from '../../../../access/transaction-deps.ts';
import { ApiError, recordNotFound } from '../../../../core/core.errors.ts';
import { parseJson } from '../../../../db/columns.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeParams, MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Pipeline } from '../../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../../deps.ts';
import { RepositoryReadOnly } from '../../../../repositories/read-only.ts';
import { canMergeInto } from '../../../../repositories/repository.protections.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { AUTO_MERGE } from '../lifecycle/recheck-auto-merges.ts';
import { headPipelines, isActive } from '../mergeability/head-pipelines.ts';
import type { DetailedMergeStatus } from '../mergeability/mergeability.statuses.ts';
import { detailedMergeStatuses } from '../mergeability/mergeability.ts';
import { refuseOtherTarget, requireMerger } from './actor.ts';
import { mergeNow } from './merging.merge.ts';
import { recoverLockedMerge } from './recover-locked-merge.ts';
import { methodNotAllowed, shaMismatch } from './refusals.ts';

/** Statuses that an auto-merge waits for: they may pass without a new commit. */
const MAY_PASS: readonly DetailedMergeStatus[] = [
  'requested_changes',
  'approvals_syncing',
  'not_approved',
  'status_checks_must_pass',
  'merge_time',
  'draft_status',
  'discussions_not_resolved',
  'title_regex',
  'ci_still_running',
  'ci_must_pass',
];

/** Whether a requested merge has to wait for a check that may pass, or for the end of a pipeline. */
export async function mustWait(deps: Deps, row: MergeRequest, status: DetailedMergeStatus): Promise<boolean> {
  if (MAY_PASS.includes(status)) return true;
  const pipeline = (await headPipelines(deps.db, [row])).get(row.id);
  return status === 'mergeable' && pipeline !== undefined && isActive(pipeline);
}

/** Enables auto-merge for a merge request. @throws ApiError 401, 404, 405, 409 */
export async function enableAutoMerge(
  deps: Deps,
  seen: MergeRequest,
  params: MergeParams,
  caller: UserCaller,
): Promise<void> {
  const { id, head_sha } = seen;
  const userId = caller.user.id;
  await deps.db.transaction().execute(async (db) => {
    const row = await lockMergeRequest(db, id);
    if (row === undefined) throw recordNotFound();
    if (row.state !== 'opened' || head_sha === null) throw methodNotAllowed();
    if (row.head_sha !== head_sha) throw shaMismatch(row);
    refuseOtherTarget(seen, row);
    await requireMerger(transactionDeps(deps, db), caller, row);
    const merge_params = JSON.stringify({ ...params, sha: head_sha } satisfies MergeParams);
    const values = { auto_merge: 1, merge_user_id: userId, merge_params, merge_error: null } as const;
    await db.updateTable('merge_requests').set(values).where('id', '=', id).execute();
    const text = `enabled an automatic merge when all merge checks for ${head_sha} pass`;
    if (row.auto_merge === 0) {
      await note(deps, db, row, userId, text);
      const about = { projectId: row.project_id, actorId: userId };
      const payload = { merge_request_id: id, project_id: row.project_id };
      await deps.events.record(db, 'merge_request.auto_merge_set', payload, about);
    }
    await waitForTime(deps, db, row);
    // The awaited event may have happened in the meantime.
    await deps.jobs.enqueue(db, AUTO_MERGE, { merge_request_id: id }, { uniqueKey: `${id}:at-once` });
  });
}

/** Enqueues a check for the time of `merge_after`. */
async function waitForTime(deps: Deps, db: Db, { id, merge_after }: MergeRequest): Promise<void> {
  if (merge_after === null || Date.parse(merge_after) <= deps.clock.now().getTime()) return;
  const runAt = new Date(merge_after);
  await deps.jobs.cancel(db, AUTO_MERGE, id);
  await deps.jobs.enqueue(db, AUTO_MERGE, { merge_request_id: id }, { uniqueKey: id, runAt });
}

const note = (
  deps: Deps,
  db: Db,
  { id, project_id }: Pick<MergeRequest, 'id' | 'project_id'>,
  userId: number,
  text: string,
) => writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId: project_id }, userId, 'merge', text);

/**
 * Cancels an auto-merge.
 * @param db the handle of a transaction
 * @returns whether one was enabled
 */
export async function cancelAutoMerge(
  deps: Deps,
  db: Db,
  { id }: Pick<MergeRequest, 'id'>,
  by: { userId: number; text: string },
): Promise<boolean> {
  const row = await db
    .updateTable('merge_requests')
    .set({ auto_merge: 0, merge_user_id: null, merge_params: '{}' })
    .where('id', '=', id)
    .where('auto_merge', '=', 1)
    .where('state', 'in', ['opened', 'closed'])
    .returning(['id', 'project_id'])
    .executeTakeFirst();
  if (row === undefined) return false;
  await note(deps, db, row, by.userId, by.text);
  await deps.jobs.cancel(db, AUTO_MERGE, id);
  return true;
}

/**
 * Cancels an auto-merge in the transaction that records a push to the source branch.
 * @param row the row before the push
 */
export async function abortForPush(deps: Deps, db: Db, row: MergeRequest, userId: number | null): Promise<void> {
  if (row.auto_merge !== 1 || row.state !== 'opened') return;
  const text = 'aborted the automatic merge because source branch was updated';
  await cancelAutoMerge(deps, db, row, { userId: userId ?? row.author_id, text });
}

const abort = (deps: Deps, row: MergeRequest, userId: number, reason: string): Promise<boolean> =>
  deps.db
    .transaction()
    .execute((db) => cancelAutoMerge(deps, db, row, { userId, text: `aborted the automatic merge because ${reason}` }));

/** Merges a merge request with auto-merge if all checks pass, as the user who enabled it, with their current rights. */
export async function processAutoMerge(deps: Deps, id: number): Promise<void> {
  const waiting = await deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', '=', id)
    .where('auto_merge', '=', 1)
    .where('state', '=', 'opened')
    .executeTakeFirst();
  if (waiting === undefined) return;
  const { merge_user_id: userId, author_id } = waiting;
  const params = parseJson<MergeParams>(waiting.merge_params);
  if (waiting.head_sha !== params.sha) {
    await abort(deps, waiting, userId ?? author_id, 'source branch was updated');
    return;
  }
  const caller = userId === null ? undefined : await jobCaller(deps, userId);
  const actor = caller && (await callerInProject(deps, caller, waiting.project_id));
  if (actor === undefined || !(await canMergeInto(deps, actor, waiting.project_id, waiting.target_branch))) {
    await abort(deps, waiting, userId ?? author_id, 'the user who enabled it may no longer merge');
    return;
  }
  const row = await recoverLockedMerge(deps, waiting);
  if (row.target_branch !== waiting.target_branch) return;
  const status = (await detailedMergeStatuses(deps, deps.db, [row])).get(id);
  const pipeline = (await headPipelines(deps.db, [row])).get(id);
  if (status === 'merge_time') await waitForTime(deps, deps.db, row);
  if (status !== 'mergeable' || !hasPassed(pipeline)) return;
  try {
    await mergeNow(deps, { mergeRequest: row, caller: actor.caller, params, automatic: true });
  } catch (error) {
    // A check fails now: the event that clears it triggers this again. A failed merge has been noted.
    if (!(error instanceof ApiError) || error instanceof RepositoryReadOnly) throw error;
  }
}

/** A failed pipeline blocks the merge until it is retried, even if the project requires no pipeline. */
const hasPassed = (pipeline: Pipeline | undefined): boolean =>
  pipeline === undefined || pipeline.status === 'success' || pipeline.status === 'skipped';

/** Registers the jobs and subscriptions of auto-merge. */
export function registerAutoMerge(deps: Deps): void {
  deps.jobs.register(AUTO_MERGE, ({ merge_request_id }) => processAutoMerge(deps, merge_request_id));
}
