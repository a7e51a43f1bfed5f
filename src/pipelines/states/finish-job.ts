import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { JobOptions } from '../../ci/pipeline-config.ts';
import { EXECUTING, type State } from '../../ci/states.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { isRetriedAutomatically } from './auto-retry.ts';
import { cancelAll, isCancelable } from './cancel.ts';
import { cloneJobs } from './clone-jobs.ts';
import { type LockedJob, lockJob } from './lock-job.ts';
import { latestJobs, processLocked } from './pipeline-states.process.ts';
import { restartJob } from './pipeline-states.retry.ts';
import { canMove, moveJob } from './transitions.ts';

/** How a job ends. */
export interface JobEnd {
  status: 'success' | 'failed';
  /** Reason of a failure; default `unknown_failure`. */
  failureReason?: FailureReason;
  exitCode?: number;
  /** Time of the end, if it is not now. */
  finishedAt?: string;
}

export interface FinishOptions {
  /** Expected states; if the job is in another one, nothing happens. */
  from?: readonly State[];
  /** Whether the current job must still end. */
  revalidate?: (job: CiJob) => boolean;
  /** Further writes in the transaction, before the job moves. */
  transactionHook?: (db: Db, job: CiJob) => Promise<void>;
}

const MAX_EXIT_CODE = 32_767;

/**
 * Ends a running job and continues its pipeline: waiting jobs move, failures are retried according to `retry`,
 * resources are released. A job that is being canceled ends as canceled, whatever its result.
 * @returns its new state; null if it was not running any more, or no longer exists
 */
export function finishJob(
  deps: Deps,
  jobId: number,
  end: JobEnd,
  { from = EXECUTING, revalidate, transactionHook }: FinishOptions = {},
): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !from.includes(locked.job.status) || revalidate?.(locked.job) === false) return null;
    await transactionHook?.(db, locked.job);
    return endJob(deps, db, locked, end);
  });
}

/**
 * Ends a job of a locked pipeline and continues the pipeline.
 * @returns its new state; null if it cannot end in this way
 */
export async function endJob(deps: Deps, db: Db, { pipeline, job }: LockedJob, end: JobEnd): Promise<CiJob | null> {
  const event = end.status === 'success' ? 'success' : 'drop';
  if (!canMove(event, job.status)) return null;
  const failed = end.status === 'failed' && job.status !== 'canceling';
  const options = failed ? await optionsOf(db, job.id) : null;
  const exit_code = end.exitCode === undefined ? null : Math.min(Math.max(end.exitCode, 0), MAX_EXIT_CODE);
  const allowed = exit_code !== null && options?.allowFailureExitCodes?.includes(exit_code);
  const values = {
    ...(failed ? { failure_reason: end.failureReason ?? ('unknown_failure' as const) } : {}),
    ...(end.failureReason === 'job_execution_server_timeout' ? { failure_reason: end.failureReason } : {}),
    ...(end.finishedAt === undefined ? {} : { finished_at: end.finishedAt }),
    ...(exit_code === null ? {} : { exit_code }),
    ...(allowed ? { allow_failure: 1 as const } : {}),
  };
  const ended = await moveJob(deps, db, event, job, { values });
  if (ended === null) return null;
  if (failed) await afterFailure(deps, db, pipeline, ended, options?.retry ?? null);
  await processLocked(deps, db, pipeline);
  return ended;
}

/** Handles the failure of a job: a retry, or the cancellation of the others. */
async function afterFailure(
  deps: Deps,
  db: Db,
  pipeline: Pipeline,
  job: CiJob,
  retry: JobOptions['retry'],
): Promise<void> {
  if (job.retried === 0 && job.kind === 'build' && (await isRetriedAutomatically(db, job, retry))) {
    await restartJob(deps, db, await cloneJobs(deps, db, [job]));
  } else if (pipeline.on_job_failure === 'all' && job.allow_failure === 0) {
    const rest = (await latestJobs(db, pipeline.id)).filter(({ status }) => isCancelable(status));
    await cancelAll(deps, db, rest, { autoCanceledById: pipeline.id });
  }
}

async function optionsOf(db: Db, jobId: number): Promise<JobOptions | null> {
  const row = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? null : parseJson<JobOptions>(row.options);
}
