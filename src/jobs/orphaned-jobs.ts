import type { Db } from '../db/db.schema.ts';

/** Clocks of several machines differ by less. */
const SLACK_MS = 5 * 60_000;
const BATCH = 1_000;

/**
 * Reschedules jobs that a clock running ahead has put far into the future. Jobs written then keep their delay; jobs
 * that failed then are due now.
 * @param longestPauseMs longest delay after a failure in milliseconds
 * @returns number of jobs
 */
export async function rescheduleOrphaned(db: Db, now: Date, longestPauseMs: number): Promise<number> {
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const failed = await db
    .updateTable('jobs')
    .set({ run_at: at(0), turn_at: at(0) })
    .where('state', '=', 'waiting')
    .where('run_at', '>', at(longestPauseMs + SLACK_MS))
    .where('attempts', '>', 0)
    .where('created_at', '<=', at(SLACK_MS))
    .where('recurring', '=', 0)
    .executeTakeFirst();
  const ahead = await db
    .selectFrom('jobs')
    .select(['id', 'run_at', 'created_at'])
    .where('state', '=', 'waiting')
    .where('run_at', '>', at(SLACK_MS))
    .where('created_at', '>', at(SLACK_MS))
    .where('recurring', '=', 0)
    .limit(BATCH)
    .execute();
  for (const { id, run_at, created_at } of ahead) {
    const delay = Math.max(0, Date.parse(run_at) - Date.parse(created_at));
    await db
      .updateTable('jobs')
      .set({ run_at: at(delay), turn_at: at(delay), created_at: at(0) })
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .execute();
  }
  return Number(failed.numUpdatedRows) + ahead.length;
}
