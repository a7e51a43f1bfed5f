import type { Db } from '../db/db.schema.ts';
import { nextRun } from './jobs.kinds.ts';
import type { JobRegistration } from './jobs.run.ts';

/**
 * Ensures that each recurring job has exactly one row, which is not later than its schedule allows: the clock may have
 * run ahead, and a new version may have another schedule.
 */
export async function ensureRecurring(db: Db, registrations: Iterable<JobRegistration>, now: Date): Promise<void> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'kind', 'state', 'run_at'])
    .where('recurring', '=', 1)
    .execute();
  const existing = new Map(rows.map((row) => [row.kind, row]));
  const missing: { kind: JobRegistration['kind']; next: string }[] = [];
  for (const { kind, schedule } of registrations) {
    if (schedule === null) continue;
    const next = nextRun(schedule, now).toISOString();
    const row = existing.get(kind.name);
    if (row === undefined) missing.push({ kind, next });
    else if (row.state === 'waiting' && row.run_at > next) {
      await db
        .updateTable('jobs')
        .set({ run_at: next, turn_at: next })
        .where('id', '=', row.id)
        .where('state', '=', 'waiting')
        .execute();
    }
  }
  if (missing.length === 0) return;
  // All at once: a new database has none of them.
  await db
    .insertInto('jobs')
    .values(
      missing.map(({ kind, next }) => ({
        kind: kind.name,
        payload: '{}',
        unique_key: null,
        run_at: next,
        turn_at: next,
        last_error: null,
        created_at: now.toISOString(),
        lane: kind.lane,
        recurring: 1 as const,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
