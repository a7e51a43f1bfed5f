import { isOneOf, type State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import { inBatches } from '../../db/in-batches.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { inMaintenance } from '../../settings/settings.maintenance.ts';
import { jobsWithoutRunner } from '../runners/online-runners.ts';
import { ALIVE } from './alive-jobs.ts';
import { finishJob, type JobEnd } from './finish-job.ts';

const SWEEP = jobKind<Record<string, never>>('ci.end-stuck-jobs', { lane: 'ci' });
const EVERY_MS = 300_000;
const BATCH_SIZE = 500;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Runners enforce time limits themselves; the server does so this much later. */
const LEEWAY_MS = 15 * MINUTE_MS;
const PENDING_MS = 24 * HOUR_MS;
/** Time limit in seconds of a job without its own. */
const DEFAULT_TIMEOUT = 3600;
/** Key of the time at which the server was last in maintenance mode. */
const MAINTAINED = 'ci.maintained_at';

/** States in which a job may be stuck. */
const WATCHED: readonly State[] = ['pending', 'running', 'canceling', 'scheduled'];

/** Ends stuck jobs: their runners are gone, or no runner takes them. */
export function registerStuckJobs(deps: Deps): void {
  deps.jobs.every(SWEEP, { everyMs: EVERY_MS }, (_payload, { signal }) => endStuckJobs(deps, signal));
}

async function endStuckJobs(deps: Deps, signal: AbortSignal): Promise<void> {
  // During maintenance, runners cannot report or request jobs, so that time does not count.
  if (inMaintenance(deps)) return rememberMaintenance(deps);
  const times = { now: deps.clock.now(), open: await lastMaintenance(deps) };
  for (const status of WATCHED) {
    const alive = deps.db.selectFrom('ci_jobs').selectAll().where(ALIVE);
    const watched = alive.where('status', '=', status).where('kind', '=', 'build');
    for await (const jobs of inBatches(watched, BATCH_SIZE, 'id')) {
      if (signal.aborted) return;
      await endThose(deps, jobs, times);
    }
  }
}

/** Current time, and end of the time in which runners could not call. */
interface Times {
  now: Date;
  open: number;
}

async function rememberMaintenance({ db, clock }: Deps): Promise<void> {
  const value = { value: JSON.stringify(timestamp(clock)), updated_at: timestamp(clock) };
  await db
    .insertInto('instance_values')
    .values({ key: MAINTAINED, ...value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(value))
    .execute();
}

/** When the server was last seen in maintenance mode, at most five minutes before its end; 0 for never. */
async function lastMaintenance({ db }: Deps): Promise<number> {
  const row = await db.selectFrom('instance_values').select('value').where('key', '=', MAINTAINED).executeTakeFirst();
  return row === undefined ? 0 : Date.parse(parseJson<string>(row.value));
}

async function endThose(deps: Deps, jobs: readonly CiJob[], times: Times): Promise<void> {
  const late = jobs.filter(
    (job) => job.status === 'pending' && waited(job.queued_at ?? job.updated_at, times) > HOUR_MS,
  );
  const alone = await jobsWithoutRunner(deps.db, times.now, late);
  for (const job of jobs) {
    const end = endOf(job, times, alone);
    if (end === null) continue;
    await finishJob(deps, job.id, end, { from: [job.status], revalidate: (row) => endOf(row, times, alone) !== null });
  }
}

/** Milliseconds since an instant in which runners could call. */
const waited = (instant: string, { now, open }: Times): number => now.getTime() - Math.max(Date.parse(instant), open);

/** How a stuck job ends; null if it is not stuck. */
function endOf(job: CiJob, times: Times, alone: ReadonlySet<number>): JobEnd | null {
  const stuck: JobEnd = { status: 'failed', failureReason: 'stuck_or_timeout_failure' };
  if (job.status === 'pending') {
    const since = waited(job.queued_at ?? job.updated_at, times);
    return since > PENDING_MS || (since > HOUR_MS && alone.has(job.id)) ? stuck : null;
  }
  if (job.status === 'scheduled') {
    const late = waited(job.scheduled_at ?? job.updated_at, times) > HOUR_MS;
    return late ? { status: 'failed', failureReason: 'stale_schedule' } : null;
  }
  if (!isOneOf(['running', 'canceling'], job.status)) return null;
  const started = Date.parse(job.started_at ?? job.updated_at);
  const finishedAt = new Date(started + (job.timeout ?? DEFAULT_TIMEOUT) * 1000).toISOString();
  if (waited(finishedAt, times) > LEEWAY_MS) {
    if (job.status === 'canceling') return { status: 'failed', failureReason: 'job_execution_server_timeout' };
    return { status: 'failed', failureReason: 'job_execution_timeout', finishedAt };
  }
  return waited(job.updated_at, times) > HOUR_MS ? stuck : null;
}
