import type { Updateable } from 'kysely';
import { ACTIVE, COMPLETE, FINISHED, isOneOf, type State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline, PipelinesTable } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import type { NewJob } from '../../jobs/jobs.queue.ts';
import { DROP_PIPELINE_REF, FOLLOW_DOWNSTREAM } from '../job-kinds.ts';

/** What of jobs counts for how long their pipeline took. */
export type TimedJob = Pick<CiJob, 'status' | 'started_at' | 'finished_at'>;

/**
 * Locks a pipeline to the end of the transaction: whoever changes its jobs or its state does this first, before they read
 * them. The order of locks is: pipeline, then its jobs; never those of two pipelines at once.
 * @returns the pipeline; undefined when it is gone
 */
export function lockPipeline(db: Db, id: number): Promise<Pipeline | undefined> {
  // On both engines an update locks what it writes; what changes nothing else leaves the time of the last change as it is.
  return db
    .updateTable('pipelines')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Sets the state of a pipeline, its times and its duration, and records `pipeline.updated`: the only place where that is
 * done after its making.
 * @param pipeline as `lockPipeline` gave it
 * @param jobs all that were not replaced, for its duration
 * @returns it as it is now
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
  /** Whether it was over, and goes on since somebody has retried something. */
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
