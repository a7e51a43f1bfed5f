import { EntryCache } from '../../core/cache/index.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';

/** Time after a read during which a log counts as watched. */
const WATCHES_MS = 10_000;

/** Time of the last read of running jobs' logs, by job id. */
const readings = new WeakMap<Db, EntryCache<number, number>>();

/** Records a read of a running job's log. */
export function recordWatcher({ db, clock }: Pick<Deps, 'db' | 'clock'>, jobId: number): void {
  const known = readings.get(db) ?? new EntryCache<number, number>('trace_watchers');
  readings.set(db, known);
  known.set(jobId, clock.now().getTime());
}

/** Interval in seconds at which a runner sends its log: shorter while the log is watched. */
export function traceInterval({ db, clock }: Pick<Deps, 'db' | 'clock'>, jobId: number): number {
  const readAt = readings.get(db)?.get(jobId);
  return readAt !== undefined && clock.now().getTime() - readAt < WATCHES_MS ? 3 : 60;
}
