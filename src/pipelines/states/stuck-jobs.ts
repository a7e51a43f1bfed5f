import { isOneOf, type State } from '../../ci/states.ts';
import type { CiJob } from '../../db/tables/ci-jobs.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/kinds.ts';
import { inMaintenance } from '../../settings/maintenance.ts';
import { jobsWithoutRunner } from '../runners/online-runners.ts';
import { ALIVE } from './alive-jobs.ts';
import { finishJob, type JobEnd } from './finish-job.ts';

const SWEEP = jobKind<Record<string, never>>('ci.end-stuck-jobs', { lane: 'ci' });
const EVERY_MS = 300_000;
const AT_ONCE = 500;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A runner ends a job that takes too long itself: so much later the server does. */
const LEEWAY_MS = 15 * MINUTE_MS;
const PENDING_MS = 24 * HOUR_MS;
/** For a job without a time limit of its own. */
const DEFAULT_TIMEOUT = 3600;

/** States in which a job may be stuck. */
const WATCHED: readonly State[] = ['pending', 'running', 'canceling', 'scheduled'];

/** Ends jobs that came to no end, for their runners are gone or none takes them. */
export function registerStuckJobs(deps: Deps): void {
  deps.jobs.every(SWEEP, { everyMs: EVERY_MS }, (_payload, { signal }) => endStuckJobs(deps, signal));
}

async function endStuckJobs(deps: Deps, signal: AbortSignal): Promise<void> {
  // Runners cannot say what became of their jobs.
  if (inMaintenance(deps)) return;
  for (const status of WATCHED) {
    for (let after = 0; !signal.aborted; ) {
      const jobs = await deps.db
        .selectFrom('ci_jobs')
        .selectAll()
        .where(ALIVE)
        .where('status', '=', status)
        .where('kind', '=', 'build')
        .where('id', '>', after)
        .orderBy('id')
        .limit(AT_ONCE)
        .execute();
      await endThose(deps, jobs);
      if (jobs.length < AT_ONCE) break;
      after = jobs.at(-1)!.id;
    }
  }
}

async function endThose(deps: Deps, jobs: readonly CiJob[]): Promise<void> {
  const now = deps.clock.now();
  const late = jobs.filter((job) => job.status === 'pending' && since(job.queued_at ?? job.updated_at, now) > HOUR_MS);
  const alone = await jobsWithoutRunner(deps.db, now, late);
  for (const job of jobs) {
    const end = endOf(job, now, alone);
    if (end === null) continue;
    await finishJob(deps, job.id, end, { from: [job.status], still: (row) => endOf(row, now, alone) !== null });
  }
}

const since = (instant: string, now: Date): number => now.getTime() - Date.parse(instant);

/** How a job ends that is stuck; null for one that is not. */
function endOf(job: CiJob, now: Date, alone: ReadonlySet<number>): JobEnd | null {
  const stuck: JobEnd = { status: 'failed', failureReason: 'stuck_or_timeout_failure' };
  if (job.status === 'pending') {
    const waited = since(job.queued_at ?? job.updated_at, now);
    return waited > PENDING_MS || (waited > HOUR_MS && alone.has(job.id)) ? stuck : null;
  }
  if (job.status === 'scheduled') {
    const late = since(job.scheduled_at ?? job.updated_at, now) > HOUR_MS;
    return late ? { status: 'failed', failureReason: 'stale_schedule' } : null;
  }
  if (!isOneOf(['running', 'canceling'], job.status)) return null;
  const started = Date.parse(job.started_at ?? job.updated_at);
  const until = started + (job.timeout ?? DEFAULT_TIMEOUT) * 1000;
  const finishedAt = new Date(until).toISOString();
  if (now.getTime() > until + LEEWAY_MS) {
    if (job.status === 'canceling') return { status: 'failed', failureReason: 'job_execution_server_timeout' };
    return { status: 'failed', failureReason: 'job_execution_timeout', finishedAt };
  }
  return since(job.updated_at, now) > HOUR_MS ? stuck : null;
}
