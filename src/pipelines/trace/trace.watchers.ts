import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';

/** So long somebody counts as watching a log after they have read it. */
const WATCHES_MS = 10_000;
const MAX_JOBS = 10_000;

/** When logs of running jobs were last read, by the id of the job. */
const readings = new WeakMap<Db, LRUCache<number, number>>();

/** Notes that somebody reads the log of a job that runs. */
export function recordWatcher({ db, clock }: Pick<Deps, 'db' | 'clock'>, jobId: number): void {
  const known = readings.get(db) ?? new LRUCache<number, number>({ max: MAX_JOBS });
  readings.set(db, known);
  known.set(jobId, clock.now().getTime());
}

/** Seconds after which a runner sends more of a log: few while somebody watches. */
export function traceInterval({ db, clock }: Pick<Deps, 'db' | 'clock'>, jobId: number): number {
  const readAt = readings.get(db)?.get(jobId);
  return readAt !== undefined && clock.now().getTime() - readAt < WATCHES_MS ? 3 : 60;
}
