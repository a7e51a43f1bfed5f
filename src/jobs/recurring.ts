import type { Db } from '../db/db.schema.ts';
import { nextRun } from './jobs.kinds.ts';
import type { JobRegistration } from './jobs.run.ts';

/**
 * Ensures that each recurring job has exactly one row, which is not later than its schedule allows: the clock may have
 * run ahead, and a new version may have another schedule.
 */
export async function ensureRecurring(db: Db, registrations: Iterable<JobRegistration>, now: Date): Promise<void> {
  for (const { kind, schedule } of registrations) {
    if (schedule === null) continue;
    const next = nextRun(schedule, now).toISOString();
    const row = await db
      .selectFrom('jobs')
      .select(['id', 'state', 'run_at'])
      .where('kind', '=', kind.name)
      .where('recurring', '=', 1)
      .executeTakeFirst();
    if (row === undefined) {
      await db
        .insertInto('jobs')
        .values({
          kind: kind.name,
          payload: '{}',
          unique_key: null,
          run_at: next,
          turn_at: next,
          last_error: null,
          created_at: now.toISOString(),
          lane: kind.lane,
          recurring: 1,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    } else if (row.state === 'waiting' && row.run_at > next) {
      await db
        .updateTable('jobs')
        .set({ run_at: next, turn_at: next })
        .where('id', '=', row.id)
        .where('state', '=', 'waiting')
        .execute();
    }
  }
}
