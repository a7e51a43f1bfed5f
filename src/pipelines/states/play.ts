import { timestamp } from '../../core/clock.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { isOutdated } from '../environments/pipeline-environments.deployments.ts';
import { lockJob } from './lock-job.ts';
import { processLocked } from './pipeline-states.process.ts';
import { type GivenValues, isRetryable, retryLocked, storeGivenValues } from './pipeline-states.retry.ts';
import { resetSkipped } from './reset-skipped.ts';
import { moveJob } from './transitions.ts';

/** Whether a job waits for somebody to start it, or can be started so once more. */
export const isPlayable = (job: Pick<CiJob, 'kind' | 'status' | 'retried' | 'failure_reason' | 'run_when'>): boolean =>
  (job.run_when === 'manual' || job.run_when === 'delayed') &&
  job.retried === 0 &&
  (job.status === 'manual' || job.status === 'scheduled' || isRetryable(job));

/**
 * Starts a job that waits for it, or for its time, for the user; one that is over is run once more.
 * @returns the job, or the new one, as it is then; null when it cannot be started (any more), was imported, would
 *   deploy what is older than what is deployed, or is gone
 */
export function playJob(
  deps: Deps,
  jobId: number,
  { userId, ...input }: { userId: number } & GivenValues,
): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !isPlayable(locked.job) || (await isOutdated(db, locked.job))) return null;
    const { job, pipeline } = locked;
    if (isRetryable(job)) return retryLocked(deps, db, locked, userId, input);
    await storeGivenValues(deps, db, job.id, input);
    const values = { user_id: userId, updated_at: timestamp(deps.clock) };
    const played = await moveJob(deps, db, 'enqueue', job, { values, actorId: userId });
    if (played === null) return null;
    await resetSkipped(deps, db, [job], userId);
    await processLocked(deps, db, pipeline);
    return played;
  });
}

/** Takes a delayed job off the clock: it waits for a person then. @returns null when it was not waiting for its time */
export function unscheduleJob(deps: Deps, jobId: number, { userId }: { userId: number }): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null) return null;
    const job = await moveJob(deps, db, 'unschedule', locked.job, { actorId: userId });
    if (job !== null) await processLocked(deps, db, locked.pipeline);
    return job;
  });
}
