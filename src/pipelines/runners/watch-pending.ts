import { sql } from 'kysely';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { wakeRunners } from './pending-jobs.ts';

/** Interval at which a process checks for pending jobs created by others. */
const EVERY_MS = 1_000;

interface Watch {
  /** Number of requests that wait for jobs. */
  waiting: number;
  timer: NodeJS.Timeout | undefined;
}

const watches = new WeakMap<Db, Watch>();

/** Changes whenever jobs become pending, or are taken. */
async function fingerprint(db: Db): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`
    select count(*) as number, sum(job_id) as ids, max(created_at) as last from ci_pending_jobs`.execute(db);
  return JSON.stringify(rows[0]);
}

/** Polls while requests wait, and wakes them on a change. */
function start(deps: Deps): NodeJS.Timeout {
  let last: string | undefined;
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      const now = await fingerprint(deps.db);
      if (last !== undefined && last !== now) wakeRunners(deps);
      last = now;
    } catch {
      // The database is unavailable: waiting requests query it themselves soon and report that.
      last = '';
    } finally {
      looking = false;
    }
  }, EVERY_MS);
  return timer.unref();
}

/** Runs a wait for jobs that includes those created by other processes. With a single process, nothing is polled. */
export async function watchPendingJobs<T>(deps: Deps, wait: () => Promise<T>): Promise<T> {
  if (deps.config.database.kind === 'sqlite') return wait();
  const watch = watches.get(deps.db) ?? { waiting: 0, timer: undefined };
  watches.set(deps.db, watch);
  watch.waiting += 1;
  watch.timer ??= start(deps);
  try {
    return await wait();
  } finally {
    watch.waiting -= 1;
    if (watch.waiting === 0) {
      clearInterval(watch.timer);
      watch.timer = undefined;
    }
  }
}
