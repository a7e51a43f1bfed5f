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
import { lockMergeRequest } from '../requests/merge-requests.lock.ts';
import { refuseOtherTarget, requireMerger } from './actor.ts';
import { firstFailure } from './merging.checks.ts';
import { mergeFacts } from './merging.facts.ts';
import { mergeRefusal, methodNotAllowed, shaMismatch } from './refusals.ts';

/** What is asked for when something is to be merged. */
export interface MergeOrder {
  /** As whoever asked has seen it. */
  mergeRequest: MergeRequest;
  /** Who merges; may be checked already. */
  caller: UserCaller;
  params: MergeParams;
  /** Merges only while the automatic merge stands. */
  automatic?: true;
}

/** Longer than a merge takes: git is ended after a minute, and tried a few times. */
const MERGE_TAKES_MS = 15 * 60_000;

interface Unlock {
  merge_request_id: number;
  locked_at: string;
  /** Which of the server's processes merges. */
  process_id?: number;
}

const UNLOCK = jobKind<Unlock>('merging.unlock', { lane: 'events' });

/**
 * Takes a merge request for a merge of exactly the head and the target branch that were seen. In one transaction it
 * holds the row, so that approvals, pushes and changes of the target branch come before it or after it, and looks once
 * more at the right to merge and at all that the tables know.
 * @param locked_at by which the merge is known from others
 * @returns the row, the target project as it is by then with its push rule, and the automatic merge that stood before
 * @throws ApiError 401 for who may not merge, 404, 405, 409 when the head or the target branch is another one by now;
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
    // Should this process die, the merge request is opened again.
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
 * Keeps the approvals that let a merge begin: a push that came in between has taken them away, but it is not what was
 * merged. Give the handle of the transaction that enters the merge.
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

/** Whether the merge request is still taken by the same merge. */
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

/** A merge request that is taken, and since when. */
export type HeldMergeLock = Pick<MergeRequest, 'id' | 'locked_at'>;

/** What a merge request that is merged by itself keeps of who asked for it, and how. */
type AutomaticMerge = Pick<MergeRequest, 'auto_merge' | 'merge_user_id' | 'merge_params'>;

const NONE: AutomaticMerge = { auto_merge: 0, merge_user_id: null, merge_params: '{}' };

/**
 * Opens the merge request again after a merge that failed; an automatic merge is over with it.
 * @param stood the automatic merge that goes on all the same
 */
export async function unlock(
  deps: Deps,
  { id, locked_at }: HeldMergeLock,
  error: string | null,
  stood: AutomaticMerge = NONE,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    // The branch may have moved all the same: the intent decides, and the job comes back for it.
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
 * Opens a merge request again once the database, which could not be reached when its merge failed, is there again. Should
 * this process end before that, the job that was written with the lock does it.
 */
export function unlockLater(deps: Deps, taken: HeldMergeLock): void {
  const key = `merge:${taken.id}`;
  const recover = async () => {
    await unlock(deps, taken, null);
    if (await isStillLocked(deps.db, taken)) throw new Error('the write of a merge is not recovered yet');
  };
  deps.intentRetries.add(key, `${key}:${taken.locked_at}`, recover, (work) => work());
}

/** Takes back the job that would open the merge request. Give the handle of the transaction that ends the merge. */
export async function dropUnlock(deps: Deps, db: Db, id: number): Promise<void> {
  await deps.jobs.cancel(db, UNLOCK, id);
}

/** Names the job that opens merge requests whose merge was left, and does it at once for a process that has died. */
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

/** @throws Error while the intent of the merge is there: whether it has been merged shows when that is recovered */
async function reopenLeft(deps: Deps, { merge_request_id, locked_at }: Unlock): Promise<void> {
  const row = await deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', '=', merge_request_id)
    .where('state', '=', 'locked')
    .where('locked_at', '=', locked_at)
    .executeTakeFirst();
  if (row === undefined) return;
  if ((await mergesUnderWay(deps.db)).has(row.id)) throw new Error('the write of a merge is not recovered yet');
  await reopen(deps, row);
}

/**
 * Opens merge requests whose merge a dead process left before any ref moved. For the start, after intents have been
 * recovered; where other servers run on the same data, their merges are left to the job of each.
 */
export async function recoverMerges(deps: Deps): Promise<void> {
  if (!deps.alone) return;
  const rows = await deps.db.selectFrom('merge_requests').selectAll().where('state', '=', 'locked').execute();
  const underWay = rows.length === 0 ? new Set() : await mergesUnderWay(deps.db);
  for (const row of rows) if (!underWay.has(row.id)) await reopen(deps, row);
}

/** Merge requests with an intent: their refs move, or have moved. */
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
  deps.log.log('warn', 'an interrupted merge was taken back', { merge_request_id: id });
}
