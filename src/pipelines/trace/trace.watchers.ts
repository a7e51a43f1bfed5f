import { EntryCache } from '../../core/cache/index.ts';
import { onForget } from '../../core/forgetting.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';

/** Time after a read during which a log counts as watched. */
const WATCHES_MS = 10_000;

/** Time of the last read of running jobs' logs, by job id. */
const readings = new WeakMap<Db, EntryCache<number, number>>();

function readingsOf(db: Db): EntryCache<number, number> {
  const known = readings.get(db);
  if (known !== undefined) return known;
  const fresh = new EntryCache<number, number>('trace_watchers');
  readings.set(db, fresh);
  onForget(db, () => fresh.clear());
  return fresh;
}

/** Records a read of a running job's log. */
export function recordWatcher({ db, clock }: Pick<Deps, 'db' | 'clock'>, jobId: number): void {
  readingsOf(db).set(jobId, clock.now().getTime());
}

/** Interval in seconds at which a runner sends its log: shorter while the log is watched. */
export function traceInterval({ db, clock }: Pick<Deps, 'db' | 'clock'>, jobId: number): number {
  const readAt = readings.get(db)?.get(jobId);
  return readAt !== undefined && clock.now().getTime() - readAt < WATCHES_MS ? 3 : 60;
}
