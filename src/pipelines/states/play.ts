import { timestamp } from '../../core/clock.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { isOutdated } from '../environments/pipeline-environments.deployments.ts';
import { lockJob } from './lock-job.ts';
import { processLocked } from './pipeline-states.process.ts';
import { isRetryable, type RetryValues, retryLocked, storeRetryValues } from './pipeline-states.retry.ts';
import { resetSkipped } from './reset-skipped.ts';
import { moveJob } from './transitions.ts';

/** Whether a job can be started manually, possibly once more. */
export const isPlayable = (job: Pick<CiJob, 'kind' | 'status' | 'retried' | 'failure_reason' | 'run_when'>): boolean =>
  (job.run_when === 'manual' || job.run_when === 'delayed') &&
  job.retried === 0 &&
  (job.status === 'manual' || job.status === 'scheduled' || isRetryable(job));

/**
 * Starts a manual or delayed job for the user; a finished one is retried.
 * @returns the job or the new job in its new state; null if it cannot be started (any more), was imported, has an
 *   outdated deployment, or no longer exists
 */
export function playJob(
  deps: Deps,
  jobId: number,
  { userId, ...input }: { userId: number } & RetryValues,
): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !isPlayable(locked.job) || (await isOutdated(db, locked.job))) return null;
    const { job, pipeline } = locked;
    if (isRetryable(job)) return retryLocked(deps, db, locked, userId, input);
    await storeRetryValues(deps, db, job.id, input);
    const values = { user_id: userId, updated_at: timestamp(deps.clock) };
    const played = await moveJob(deps, db, 'enqueue', job, { values, actorId: userId });
    if (played === null) return null;
    await resetSkipped(deps, db, [job], userId);
    await processLocked(deps, db, pipeline);
    return played;
  });
}

/** Turns a delayed job into a manual one. @returns null if it was not delayed */
export function unscheduleJob(deps: Deps, jobId: number, { userId }: { userId: number }): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null) return null;
    const job = await moveJob(deps, db, 'unschedule', locked.job, { actorId: userId });
    if (job !== null) await processLocked(deps, db, locked.pipeline);
    return job;
  });
}
