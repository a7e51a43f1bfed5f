import type { Db } from '../db/db.schema.ts';
import { releaseHeld } from './job-outcomes.ts';

/** Removes the waiting job with a unique key. @returns whether there was one */
export async function removeWaiting(db: Db, uniqueKey: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('jobs')
    .where('unique_key', '=', uniqueKey)
    .where('state', '=', 'waiting')
    .returning('order_key')
    .execute();
  await releaseHeld(
    db,
    removed.flatMap(({ order_key }) => order_key ?? []),
  );
  return removed.length > 0;
}

/**
 * Makes jobs of an order key that wait for another attempt due; a running job runs again immediately if it asks for a
 * later attempt.
 * @returns their lanes
 */
export async function makeDue(db: Db, orderKey: string, time: Date): Promise<Set<string>> {
  const now = time.toISOString();
  // One millisecond later, so that a running job notices the request even if it was written in this millisecond.
  const later = new Date(time.getTime() + 1).toISOString();
  const due = await db
    .updateTable('jobs')
    .set((eb) => {
      const at = eb.case().when('state', '=', 'running').then(later).else(now).end();
      return { run_at: at, turn_at: at };
    })
    .where('order_key', '=', orderKey)
    .where((eb) => eb.or([eb('state', '=', 'running'), eb.and([eb('state', '=', 'waiting'), eb('run_at', '>', now)])]))
    .returning('lane')
    .execute();
  return new Set(due.map(({ lane }) => lane));
}
