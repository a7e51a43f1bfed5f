import { compositeState } from '../../ci/states.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { outdatedDeployments } from '../environments/pipeline-environments.deployments.ts';
import { nextMoves } from './next-moves.ts';
import { lockPipeline, setPipelineStatus } from './pipeline-status.ts';
import { type JobEvent, MOVABLE, moveJobs } from './transitions.ts';

const PROCESSED = [
  ...MOVABLE,
  'name',
  'stage_index',
  'allow_failure',
  'run_when',
  'scheduling',
  'started_at',
  'finished_at',
  'interruptible',
] as const satisfies (keyof CiJob)[];
/** Columns of a job that decide about its pipeline. */
export type ProcessedJob = Pick<CiJob, (typeof PROCESSED)[number]>;

/**
 * Advances a pipeline: moves created jobs whose predecessors are finished, and computes its status. Uses a constant
 * number of statements.
 * @param db the handle of a transaction, in which the pipeline is locked
 * @returns its new state; undefined if it no longer exists
 */
export async function processPipeline(deps: Deps, db: Db, pipelineId: number): Promise<Pipeline | undefined> {
  const pipeline = await lockPipeline(db, pipelineId);
  return pipeline === undefined ? undefined : processLocked(deps, db, pipeline);
}

/** Like `processPipeline`, for a locked pipeline. @param pipeline result of `lockPipeline` */
export async function processLocked(deps: Deps, db: Db, pipeline: Pipeline): Promise<Pipeline> {
  let jobs = await latestJobs(db, pipeline.id);
  if (jobs.length === 0) return pipeline;
  const moves = nextMoves(jobs, await openNeeds(db, jobs), await outdatedDeployments(db, jobs));
  const byEvent = new Map<JobEvent, ProcessedJob[]>();
  for (const { event, job } of moves) {
    const alike = byEvent.get(event);
    if (alike === undefined) byEvent.set(event, [job]);
    else alike.push(job);
  }
  for (const [event, alike] of byEvent) {
    const values = event === 'drop' ? { failure_reason: 'failed_outdated_deployment_job' as const } : {};
    const moved = new Map((await moveJobs(deps, db, event, alike, { values })).map((job) => [job.id, job]));
    jobs = jobs.map((job) => moved.get(job.id) ?? job);
  }
  const status = compositeState(jobs.map((job) => ({ status: job.status, allowFailure: job.allow_failure === 1 })));
  return setPipelineStatus(deps, db, pipeline, status, jobs);
}

/** Latest attempts of the jobs of a pipeline, in the order of their creation. */
export const latestJobs = (db: Db, pipelineId: number): Promise<ProcessedJob[]> =>
  db
    .selectFrom('ci_jobs')
    .select(PROCESSED)
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('id')
    .execute();

/** Names of the needs of jobs that have not started, by job id. */
async function openNeeds(db: Db, jobs: readonly ProcessedJob[]): Promise<Map<number, string[]>> {
  const needs = new Map<number, string[]>();
  const first = jobs.find(({ status, scheduling }) => status === 'created' && scheduling === 'dag');
  if (first === undefined) return needs;
  const rows = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_job_needs', 'ci_job_needs.job_id', 'ci_jobs.id')
    .select(['ci_job_needs.job_id', 'ci_job_needs.name'])
    .where('ci_jobs.pipeline_id', '=', first.pipeline_id)
    .where('ci_jobs.retried', '=', 0)
    .where('ci_jobs.status', '=', 'created')
    .where('ci_jobs.scheduling', '=', 'dag')
    .execute();
  for (const { job_id, name } of rows) {
    const names = needs.get(job_id);
    if (names === undefined) needs.set(job_id, [name]);
    else names.push(name);
  }
  return needs;
}
