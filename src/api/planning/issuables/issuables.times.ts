import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { humanDuration } from './issuables.durations.ts';
import type { IssuableKind, IssuableRow } from './issuables.kind.ts';

/** Estimate and time spent, in seconds. */
export type Times = Pick<IssuableRow, 'time_estimate' | 'time_spent'>;

interface Change {
  deps: Deps;
  caller: UserCaller;
  kind: Pick<IssuableKind, 'type' | 'table' | 'recordUpdate'>;
  row: IssuableRow;
}

/** Locks the row until the end of the transaction, and returns its current state. */
const lock = (db: Db, { kind, row }: Change): Promise<Times> =>
  db
    .updateTable(kind.table)
    .set((eb) => ({ time_spent: eb.ref('time_spent') }))
    .where('id', '=', row.id)
    .returning(['time_estimate', 'time_spent'])
    .executeTakeFirstOrThrow();

async function store(db: Db, change: Change, before: Times, times: Times, action: string, text: string) {
  const { deps, kind, row, caller } = change;
  await db
    .updateTable(kind.table)
    .set({ ...times, updated_at: timestamp(deps.clock), updated_by_id: caller.user.id })
    .where('id', '=', row.id)
    .execute();
  const target = { type: kind.type, id: row.id, projectId: row.project_id };
  await writeSystemNote(deps, db, target, caller.user.id, action, text);
  const changes: Record<string, [unknown, unknown]> = {};
  if (before.time_estimate !== times.time_estimate) {
    changes.time_estimate = [before.time_estimate, times.time_estimate];
  }
  if (before.time_spent !== times.time_spent) changes.total_time_spent = [before.time_spent, times.time_spent];
  await kind.recordUpdate(deps, db, row, changes, caller.user.id);
}

/** Sets the estimate; 0 removes it. @param seconds not negative */
export async function setEstimate(change: Change, seconds: number): Promise<Times> {
  return inTransaction(change.deps.db, async (db) => {
    const before = await lock(db, change);
    if (before.time_estimate === seconds) return before;
    const after = { ...before, time_estimate: seconds };
    const text = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanDuration(seconds)}`;
    await store(db, change, before, after, 'time_tracking', text);
    return after;
  });
}

async function log(
  db: Db,
  { deps, kind, row, caller }: Change,
  seconds: number,
  { summary = null, spentAt }: { summary?: string | null; spentAt?: string | undefined } = {},
) {
  const now = timestamp(deps.clock);
  await db
    .insertInto('time_logs')
    .values({
      issuable_type: kind.type,
      issuable_id: row.id,
      project_id: row.project_id,
      user_id: caller.user.id,
      time_spent: seconds,
      summary,
      spent_at: spentAt ?? now,
      created_at: now,
    })
    .execute();
}

/**
 * Adds or subtracts time spent.
 * @param seconds negative to subtract
 * @param spentAt defaults to now
 * @throws ApiError 400 if more is subtracted than was spent
 */
export async function addSpent(
  change: Change,
  seconds: number,
  summary: string | null,
  spentAt?: string,
): Promise<Times> {
  return inTransaction(change.deps.db, async (db) => {
    const before = await lock(db, change);
    if (seconds === 0) return before;
    const after = { ...before, time_spent: before.time_spent + seconds };
    if (after.time_spent < 0) throw invalidModel({ base: ['Time to subtract exceeds the total time spent'] });
    await log(db, change, seconds, { summary, spentAt });
    const text = `${seconds < 0 ? 'subtracted' : 'added'} ${humanDuration(Math.abs(seconds))} of time spent`;
    await store(db, change, before, after, 'time_tracking', text);
    return after;
  });
}

/** Removes all time spent. */
export async function resetSpent(change: Change): Promise<Times> {
  return inTransaction(change.deps.db, async (db) => {
    const before = await lock(db, change);
    if (before.time_spent === 0) return before;
    await log(db, change, -before.time_spent);
    const after = { ...before, time_spent: 0 };
    await store(db, change, before, after, 'time_tracking', 'removed time spent');
    return after;
  });
}
