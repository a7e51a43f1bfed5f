import type { UserCaller } from '../../../../access/caller.ts';
import { transactionDeps } from '../../../../access/transaction-deps.ts';
import { recordNotFound } from '../../../../core/core.errors.ts';
import { parseJson } from '../../../../db/columns.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeParams, MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { PushRule } from '../../../../db/tables/push-rules.table.ts';
import type { Deps } from '../../../../deps.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { RepositoryReadOnly } from '../../../../repositories/read-only.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { firstFailure } from '../mergeability/mergeability.checks.ts';
import { mergeFacts } from '../mergeability/mergeability.facts.ts';
import { refuseOtherTarget, requireMerger } from './actor.ts';
import { mergeRefusal, methodNotAllowed, shaMismatch } from './refusals.ts';

/** A request to merge. */
export interface MergeOrder {
  /** The merge request as the requester has seen it. */
  mergeRequest: MergeRequest;
  /** The user who merges; may already be authorized. */
  caller: UserCaller;
  params: MergeParams;
  /** Merge only while auto-merge is enabled. */
  automatic?: true;
}

/** Upper bound of the duration of a merge: git is stopped after a minute, and retried a few times. */
const MERGE_TAKES_MS = 15 * 60_000;

interface Unlock {
  merge_request_id: number;
  locked_at: string;
  /** Id of the server process that merges. */
  process_id?: number;
}

const UNLOCK = jobKind<Unlock>('merging.unlock', { lane: 'events' });

/**
 * Locks a merge request for a merge of exactly the head and target branch of the order. In one transaction, it locks
 * the row, which serializes it with approvals, pushes and changes of the target branch, and repeats all checks of
 * rights and of database state.
 * @param locked_at identifies the merge
 * @returns the row, the current target project with its push rule, and the previous auto-merge
 * @throws ApiError 401 if the caller may not merge, 404, 405, 409 if the head or the target branch has changed;
 *   RepositoryReadOnly, which changes nothing
 */
export async function lockForMerge(
  deps: Deps,
  { mergeRequest: seen, caller, params: input, automatic }: MergeOrder,
  locked_at: string,
): Promise<{ locked: MergeRequest; target: Project; pushRule: PushRule | null; stood: AutomaticMerge }> {
  const { id } = seen;
  return deps.db.transaction().execute(async (db) => {
    const row = await lockMergeRequest(db, id);
    if (row === undefined) throw recordNotFound();
    if (row.state !== 'opened' || row.head_sha === null) throw methodNotAllowed();
    if (automatic && (row.auto_merge === 0 || row.merge_user_id !== caller.user.id)) throw methodNotAllowed();
    if (row.head_sha !== seen.head_sha) throw shaMismatch(row);
    refuseOtherTarget(seen, row);
    const { project: target, pushRule } = await requireMerger(transactionDeps(deps, db), caller, row);
    if (target.repository_read_only === 1) throw new RepositoryReadOnly();
    const [facts] = await mergeFacts(deps, db, [row]);
    const failed = facts === undefined ? 'not_open' : await firstFailure(deps, facts, { git: false });
    if (failed !== null) throw mergeRefusal(failed);
    // If this process dies, the job reopens the merge request.
    const runAt = new Date(deps.clock.now().getTime() + MERGE_TAKES_MS);
    const unlock: Unlock = { merge_request_id: id, locked_at, process_id: deps.processes.id };
    await deps.jobs.enqueue(db, UNLOCK, unlock, { uniqueKey: id, runAt });
    const params: MergeParams = {
      ...input,
      ...(automatic ? { automatic } : {}),
      approvals: await approvalsOf(db, id),
    };
    const locked = await db
      .updateTable('merge_requests')
      .set({
        state: 'locked',
        locked_at,
        merge_error: null,
        merge_user_id: caller.user.id,
        merge_params: JSON.stringify(params),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const { auto_merge, merge_user_id, merge_params } = row;
    return { locked, target, pushRule, stood: { auto_merge, merge_user_id, merge_params } };
  });
}

const approvalsOf = (db: Db, id: number) =>
  db
    .selectFrom('approvals')
    .select(['user_id', 'head_sha', 'created_at'])
    .where('merge_request_id', '=', id)
    .orderBy('id')
    .execute();

/**
 * Keeps the approvals with which a merge began, even if a concurrent push removed them: the push was not merged.
 * @param db handle of the transaction that records the merge
 */
export async function preserveApprovals(db: Db, id: number): Promise<void> {
  const row = await db.selectFrom('merge_requests').select('merge_params').where('id', '=', id).executeTakeFirst();
  const { approvals = [] } = parseJson<MergeParams>(row?.merge_params ?? '{}');
  if (approvals.length === 0) return;
  const ids = approvals.map(({ user_id }) => user_id);
  const users = await db.selectFrom('users').select('id').where('id', 'in', ids).execute();
  for (const approval of approvals) {
    if (!users.some((user) => user.id === approval.user_id)) continue;
    await db
      .insertInto('approvals')
      .values({ ...approval, merge_request_id: id })
      .onConflict((conflict) =>
        conflict.columns(['merge_request_id', 'user_id']).doUpdateSet({ head_sha: approval.head_sha }),
      )
      .execute();
  }
}

/** Whether the merge request is still locked by the same merge. */
export async function isStillLocked(db: Db, { id, locked_at }: HeldMergeLock): Promise<boolean> {
  const row = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'locked')
    .where('locked_at', '=', locked_at)
    .executeTakeFirst();
  return row !== undefined;
}

/** A locked merge request, and since when. */
export type HeldMergeLock = Pick<MergeRequest, 'id' | 'locked_at'>;

/** Columns of an auto-merge: whether it is enabled, by whom, and with which parameters. */
type AutomaticMerge = Pick<MergeRequest, 'auto_merge' | 'merge_user_id' | 'merge_params'>;

const NONE: AutomaticMerge = { auto_merge: 0, merge_user_id: null, merge_params: '{}' };

/**
 * Reopens the merge request after a failed merge; auto-merge is disabled by it.
 * @param stood the auto-merge to restore
 */
export async function unlock(
  deps: Deps,
  { id, locked_at }: HeldMergeLock,
  error: string | null,
  stood: AutomaticMerge = NONE,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    // The branch may have moved nevertheless: the intent decides, and the job handles it later.
    if ((await mergesUnderWay(db)).has(id)) return;
    const { numUpdatedRows } = await db
      .updateTable('merge_requests')
      .set({ state: 'opened', locked_at: null, merge_error: error, ...stood })
      .where('id', '=', id)
      .where('state', '=', 'locked')
      .where('locked_at', '=', locked_at)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await dropUnlock(deps, db, id);
  });
}

/**
 * Reopens a merge request once the database is available again, after it was unreachable when the merge failed. If this
 * process ends before, the job that was enqueued with the lock does it.
 */
export function unlockLater(deps: Deps, taken: HeldMergeLock): void {
  const key = `merge:${taken.id}`;
  const recover = async () => {
    await unlock(deps, taken, null);
    if (await isStillLocked(deps.db, taken)) throw new Error('the ref change of a merge is not recovered yet');
  };
  deps.intentRetries.add(key, `${key}:${taken.locked_at}`, recover, (work) => work());
}

/** Deletes the job that would reopen the merge request. @param db handle of the transaction that ends the merge */
export async function dropUnlock(deps: Deps, db: Db, id: number): Promise<void> {
  await deps.jobs.cancel(db, UNLOCK, id);
}

/**
 * Registers the job that reopens merge requests after an abandoned merge; runs immediately for those of dead processes.
 */
export function registerUnlocking(deps: Deps): void {
  deps.jobs.register(UNLOCK, (left) => reopenLeft(deps, left));
  deps.processes.onDeath(async (id) => {
    const jobs = await deps.db
      .selectFrom('jobs')
      .select('payload')
      .where('lane', '=', UNLOCK.lane)
      .where('state', '=', 'waiting')
      .where('kind', '=', UNLOCK.name)
      .execute();
    const left = jobs.map(({ payload }) => parseJson<Unlock>(payload)).filter(({ process_id }) => process_id === id);
    for (const each of left) await reopenLeft(deps, each);
  });
}

/** @throws Error while the intent of the merge exists: its recovery decides whether the merge happened */
async function reopenLeft(deps: Deps, { merge_request_id, locked_at }: Unlock): Promise<void> {
  const row = await deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', '=', merge_request_id)
    .where('state', '=', 'locked')
    .where('locked_at', '=', locked_at)
    .executeTakeFirst();
  if (row === undefined) return;
  if ((await mergesUnderWay(deps.db)).has(row.id)) throw new Error('the ref change of a merge is not recovered yet');
  await reopen(deps, row);
}

/**
 * Reopens merge requests whose merge a dead process abandoned before any ref moved. Runs at the start, after the
 * recovery of intents; merges of other servers on the same data are left to their jobs.
 */
export async function recoverMerges(deps: Deps): Promise<void> {
  if (!deps.alone) return;
  const rows = await deps.db.selectFrom('merge_requests').selectAll().where('state', '=', 'locked').execute();
  const underWay = rows.length === 0 ? new Set() : await mergesUnderWay(deps.db);
  for (const row of rows) if (!underWay.has(row.id)) await reopen(deps, row);
}

/** Ids of merge requests with a pending intent: their refs may have moved. */
async function mergesUnderWay(db: Db): Promise<Set<number>> {
  const rows = await db.selectFrom('ref_intents').select('context').execute();
  return new Set(
    rows.flatMap(({ context }) => {
      const { cause } = parseJson<{ cause?: { type: string; merge_request_id: number } }>(context);
      return cause?.type === 'merge' ? [cause.merge_request_id] : [];
    }),
  );
}

async function reopen(deps: Deps, { id, locked_at, auto_merge }: MergeRequest): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await dropUnlock(deps, db, id);
    await db
      .updateTable('merge_requests')
      .set({
        state: 'opened',
        locked_at: null,
        ...(auto_merge === 1 ? {} : { merge_user_id: null, merge_params: '{}' }),
      })
      .where('id', '=', id)
      .where('state', '=', 'locked')
      .where('locked_at', '=', locked_at)
      .execute();
  });
  deps.log.log('warn', 'an interrupted merge was rolled back', { merge_request_id: id });
}
