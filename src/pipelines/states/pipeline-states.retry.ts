import type { FailureReason } from '../../ci/failure-reasons.ts';
import { isOneOf, type State } from '../../ci/states.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { isOutdated } from '../environments/pipeline-environments.deployments.ts';
import { type JobInputValues, setInputs } from '../runners/job-inputs.ts';
import { sealedValue } from '../variables/at-rest.ts';
import { cloneJobs } from './clone-jobs.ts';
import { type LockedJob, lockJob } from './lock-job.ts';
import { latestJobs, processLocked } from './pipeline-states.process.ts';
import { lockPipeline } from './pipeline-status.ts';
import { resetSkipped } from './reset-skipped.ts';
import { moveJobs } from './transitions.ts';

const RETRYABLE: readonly State[] = ['success', 'failed', 'canceled', 'canceling'];
/** Failures of a bridge after which a retry would fail as well. */
const HOPELESS: readonly (FailureReason | null)[] = [
  'pipeline_loop_detected',
  'reached_max_descendant_pipelines_depth',
];
/** Maximum number of ids in one statement. */
const BATCH_SIZE = 5_000;

/** Whether a job can be retried, judged by its row; `withConfiguration` checks the rest. */
export const isRetryable = (job: Pick<CiJob, 'kind' | 'status' | 'retried' | 'failure_reason'>): boolean =>
  job.kind !== 'status' &&
  job.retried === 0 &&
  isOneOf(RETRYABLE, job.status) &&
  !(job.kind === 'bridge' && HOPELESS.includes(job.failure_reason));

/** Jobs whose configuration is available: imported jobs have none and cannot run again. */
async function withConfiguration<T extends { id: number }>(db: Db, jobs: readonly T[]): Promise<T[]> {
  const known = new Set<number>();
  for (let at = 0; at < jobs.length; at += BATCH_SIZE) {
    const ids = jobs.slice(at, at + BATCH_SIZE).map(({ id }) => id);
    const rows = await db.selectFrom('ci_job_configs').select('job_id').where('job_id', 'in', ids).execute();
    for (const { job_id } of rows) known.add(job_id);
  }
  return jobs.filter(({ id }) => known.has(id));
}

/** Values passed to a job in addition to its own. */
export interface RetryValues {
  variables?: readonly PlayVariable[];
  /** Validated input values (`inputErrors`). */
  inputs?: JobInputValues;
}

export interface PlayVariable {
  key: string;
  value: string;
}

/**
 * Retries a job as a new job with the same name, for the user. Jobs skipped after it wait for the new one.
 * @returns the new job; null if it cannot be retried (any more), was imported, would be a rollback that is not
 *   allowed, or no longer exists
 */
export function retryJob(
  deps: Deps,
  jobId: number,
  { userId, ...input }: { userId: number } & RetryValues,
): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !isRetryable(locked.job) || (await isOutdated(db, locked.job))) return null;
    return retryLocked(deps, db, locked, userId, input);
  });
}

/** Like `retryJob`, for a job that `isRetryable`, of a locked pipeline. */
export async function retryLocked(
  deps: Deps,
  db: Db,
  { job, pipeline, configured }: LockedJob,
  userId: number,
  input: RetryValues,
): Promise<CiJob | null> {
  if (!configured) return null;
  const made = await cloneJobs(deps, db, [job], userId);
  await storeRetryValues(deps, db, made[0]!.id, input);
  await resetSkipped(deps, db, [job], userId);
  await restartJob(deps, db, made);
  await processLocked(deps, db, pipeline);
  return db.selectFrom('ci_jobs').selectAll().where('id', '=', made[0]!.id).executeTakeFirstOrThrow();
}

/** Retried jobs run without waiting for a person or a delay; otherwise their stage or needs decide. */
export async function restartJob(deps: Deps, db: Db, made: readonly CiJob[]): Promise<void> {
  const waiting = made.filter(({ run_when }) => run_when === 'manual' || run_when === 'delayed');
  await moveJobs(deps, db, 'enqueue', waiting);
}

/** Replaces the values passed to a job. */
export async function storeRetryValues(
  deps: Deps,
  db: Db,
  jobId: number,
  { variables = [], inputs = {} }: RetryValues,
): Promise<void> {
  await setInputs(db, jobId, inputs);
  await setVariables(deps, db, jobId, variables);
}

async function setVariables(deps: Deps, db: Db, jobId: number, variables: readonly PlayVariable[]): Promise<void> {
  if (variables.length === 0) return;
  await db.deleteFrom('ci_job_variables').where('job_id', '=', jobId).where('source', '=', 'manual').execute();
  const rows = new Map(
    variables.map(({ key, value }) => [
      key,
      { job_id: jobId, key, value: sealedValue(deps, 'ci_job_variables', value), source: 'manual' as const },
    ]),
  );
  await db
    .insertInto('ci_job_variables')
    .values([...rows.values()])
    .execute();
}

/**
 * Retries the failed and canceled jobs of a pipeline for the user; skipped jobs wait for them again. Imported jobs stay
 * unchanged.
 * @returns its new state; undefined if it no longer exists
 */
export function retryPipeline(
  deps: Deps,
  pipelineId: number,
  { userId }: { userId: number },
): Promise<Pipeline | undefined> {
  return deps.db.transaction().execute(async (db) => {
    const pipeline = await lockPipeline(db, pipelineId);
    if (pipeline === undefined) return undefined;
    const jobs = await db
      .selectFrom('ci_jobs')
      .selectAll()
      .where('pipeline_id', '=', pipelineId)
      .where('retried', '=', 0)
      .where('kind', '=', 'build')
      .where('status', 'in', ['failed', 'canceled', 'canceling'])
      .orderBy('id')
      .execute();
    await cloneJobs(deps, db, await withConfiguration(db, jobs), userId);
    const skipped = (await latestJobs(db, pipelineId)).filter(({ status }) => status === 'skipped');
    const waiting = await withConfiguration(db, skipped);
    await moveJobs(deps, db, 'process', waiting, { values: { user_id: userId }, actorId: userId });
    return processLocked(deps, db, pipeline);
  });
}
