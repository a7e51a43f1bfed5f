import type { Updateable } from 'kysely';
import { ACTIVE, COMPLETE, FINISHED, isOneOf, type State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline, PipelinesTable } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import type { NewJob } from '../../jobs/jobs.queue.ts';
import { DROP_PIPELINE_REF, FOLLOW_DOWNSTREAM } from '../job-kinds.ts';

/** Columns of jobs that determine the duration of their pipeline. */
export type TimedJob = Pick<CiJob, 'status' | 'started_at' | 'finished_at'>;

/**
 * Locks a pipeline until the end of the transaction: required before any change of its jobs or its status. Lock order:
 * pipeline, then its jobs; never two pipelines at once.
 * @returns the pipeline; undefined if it no longer exists
 */
export function lockPipeline(db: Db, id: number): Promise<Pipeline | undefined> {
  // On both databases an update locks its row; without a change `updated_at` stays the same.
  return db
    .updateTable('pipelines')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Sets the status, times and duration of a pipeline and records `pipeline.updated`. Nothing else changes the status
 * after the creation.
 * @param pipeline result of `lockPipeline`
 * @param jobs latest attempts, for the duration
 * @returns its new state
 */
export async function setPipelineStatus(
  deps: Deps,
  db: Db,
  pipeline: Pipeline,
  status: State,
  jobs: readonly TimedJob[] = [],
): Promise<Pipeline> {
  const { id, project_id, source, status: old_status } = pipeline;
  if (status === old_status) return pipeline;
  const now = timestamp(deps.clock);
  const over = isOneOf(FINISHED, status);
  const values: Updateable<PipelinesTable> = {
    status,
    updated_at: now,
    started_at: pipeline.started_at ?? (status === 'running' ? now : null),
    finished_at: over ? now : null,
    ...(over ? { duration: secondsOf(jobs, now) } : {}),
  };
  await db.updateTable('pipelines').set(values).where('id', '=', id).execute();
  await deps.jobs.enqueueAll(db, followUps(pipeline, status));
  const payload = { pipeline_id: id, project_id, source, status, old_status };
  await deps.events.record(db, 'pipeline.updated', payload, { projectId: project_id });
  return { ...pipeline, ...(values as Partial<Pipeline>) };
}

function followUps(pipeline: Pipeline, status: State): NewJob<unknown>[] {
  const { id: pipeline_id, project_id: projectId, upstream_job_id } = pipeline;
  /** Whether a finished pipeline continues because of a retry. */
  const again = isOneOf(COMPLETE, pipeline.status) || pipeline.status === 'manual';
  const works: NewJob<unknown>[] = [];
  if (upstream_job_id !== null) {
    works.push({ kind: FOLLOW_DOWNSTREAM, payload: { pipeline_id, job_id: upstream_job_id, again }, projectId });
  }
  const idle = !isOneOf(ACTIVE, status) && status !== 'created' && status !== 'canceling';
  if (idle && pipeline.source !== 'external') {
    works.push({ kind: DROP_PIPELINE_REF, payload: { pipeline_id, project_id: projectId }, projectId });
  }
  return works;
}

/** Seconds in which at least one of the jobs ran. */
export function secondsOf(jobs: readonly TimedJob[], now: string): number {
  const periods = jobs
    .filter(({ status, started_at }) => started_at !== null && status !== 'skipped')
    .map(({ started_at, finished_at }) => [Date.parse(started_at!), Date.parse(finished_at ?? now)] as const)
    .sort(([a], [b]) => a - b);
  let total = 0;
  let until = 0;
  for (const [start, end] of periods) {
    if (end <= until) continue;
    total += end - Math.max(start, until);
    until = end;
  }
  return Math.round(total / 1000);
}
