import type { FailureReason } from '../../ci/failure-reasons.ts';
import { isOneOf, type State } from '../../ci/states.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { isOutdated } from '../environments/pipeline-environments.deployments.ts';
import { type GivenInputs, setInputs } from '../runners/job-inputs.ts';
import { sealedValue } from '../variables/at-rest.ts';
import { cloneJobs } from './clone-jobs.ts';
import { type LockedJob, lockJob } from './lock-job.ts';
import { latestJobs, processLocked } from './pipeline-states.process.ts';
import { lockPipeline } from './pipeline-status.ts';
import { resetSkipped } from './reset-skipped.ts';
import { moveJobs } from './transitions.ts';

const RETRYABLE: readonly State[] = ['success', 'failed', 'canceled', 'canceling'];
/** A bridge that failed for these would fail again. */
const HOPELESS: readonly (FailureReason | null)[] = [
  'pipeline_loop_detected',
  'reached_max_descendant_pipelines_depth',
];
/** Ids that one statement takes. */
const BATCH_SIZE = 5_000;

/** Whether a job can be run once more, as far as its row tells; `withConfiguration` says which of such can. */
export const isRetryable = (job: Pick<CiJob, 'kind' | 'status' | 'retried' | 'failure_reason'>): boolean =>
  job.kind !== 'status' &&
  job.retried === 0 &&
  isOneOf(RETRYABLE, job.status) &&
  !(job.kind === 'bridge' && HOPELESS.includes(job.failure_reason));

/** Those of the jobs whose configuration is here: what came from another server tells what ran there, and cannot run again. */
async function withConfiguration<T extends { id: number }>(db: Db, jobs: readonly T[]): Promise<T[]> {
  const known = new Set<number>();
  for (let at = 0; at < jobs.length; at += BATCH_SIZE) {
    const ids = jobs.slice(at, at + BATCH_SIZE).map(({ id }) => id);
    const rows = await db.selectFrom('ci_job_configs').select('job_id').where('job_id', 'in', ids).execute();
    for (const { job_id } of rows) known.add(job_id);
  }
  return jobs.filter(({ id }) => known.has(id));
}

/** Values that a job is run with, beside its own. */
export interface GivenValues {
  variables?: readonly PlayVariable[];
  /** Of its inputs: checked by `inputErrors`. */
  inputs?: GivenInputs;
}

export interface PlayVariable {
  key: string;
  value: string;
}

/**
 * Runs a job once more: as a new job of its name, for the user. What was skipped after it waits for that then.
 * @returns the new job; null when it cannot be retried (any more), was imported, would roll a deployment back where that is
 *   not wanted, or is gone
 */
export function retryJob(
  deps: Deps,
  jobId: number,
  { userId, ...input }: { userId: number } & GivenValues,
): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !isRetryable(locked.job) || (await isOutdated(db, locked.job))) return null;
    return retryLocked(deps, db, locked, userId, input);
  });
}

/** The same for a job that `isRetryable`, of a locked pipeline. */
export async function retryLocked(
  deps: Deps,
  db: Db,
  { job, pipeline, configured }: LockedJob,
  userId: number,
  input: GivenValues,
): Promise<CiJob | null> {
  if (!configured) return null;
  const made = await cloneJobs(deps, db, [job], userId);
  await storeGivenValues(deps, db, made[0]!.id, input);
  await resetSkipped(deps, db, [job], userId);
  await restartJob(deps, db, made);
  await processLocked(deps, db, pipeline);
  return db.selectFrom('ci_jobs').selectAll().where('id', '=', made[0]!.id).executeTakeFirstOrThrow();
}

/** New jobs in the place of others wait for no person and no time again; the rest goes as its stage or needs let it. */
export async function restartJob(deps: Deps, db: Db, made: readonly CiJob[]): Promise<void> {
  const waiting = made.filter(({ run_when }) => run_when === 'manual' || run_when === 'delayed');
  await moveJobs(deps, db, 'enqueue', waiting);
}

/** Has a job run with values in the place of those that it was given before. */
export async function storeGivenValues(
  deps: Deps,
  db: Db,
  jobId: number,
  { variables = [], inputs = {} }: GivenValues,
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
 * Runs what failed or was canceled of a pipeline once more, for the user; what was skipped waits for it again. What was
 * imported stays as it is.
 * @returns the pipeline as it is then; undefined when it is gone
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
