import type { State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { lockJob } from './lock-job.ts';
import { latestJobs, type ProcessedJob, processLocked } from './pipeline-states.process.ts';
import { lockPipeline } from './pipeline-status.ts';
import { canMove, type MovableJob, type MoveOptions, moveJobs } from './transitions.ts';

export interface CancelOptions {
  /** User who cancels; null for the server itself. */
  userId?: number | null;
  /** The pipeline that makes the canceled jobs redundant. */
  autoCanceledById?: number | null;
}

/** Whether a job in this state can be canceled; `force` includes jobs that are being canceled. */
export const isCancelable = (status: State, force = false): boolean =>
  canMove('cancel', status) || (force && canMove('force_cancel', status));

/**
 * Cancels a job: immediately, or as `canceling` until its runner has ended it gracefully.
 * @param options.force also ends a job that is being canceled
 * @returns its new state; null if it cannot be canceled (any more), or no longer exists
 */
export function cancelJob(
  deps: Deps,
  jobId: number,
  { force = false, ...options }: CancelOptions & { force?: boolean } = {},
): Promise<CiJob | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || !isCancelable(locked.job.status, force)) return null;
    const { job, pipeline } = locked;
    const [canceled] =
      job.status === 'canceling'
        ? await moveJobs(deps, db, 'force_cancel', [job], { actorId: options.userId ?? null })
        : await cancelAll(deps, db, [job], options);
    await processLocked(deps, db, pipeline);
    return canceled ?? null;
  });
}

/**
 * Cancels all unfinished jobs of a pipeline, including manual and delayed ones, and its child pipelines.
 * @param options.only selects jobs; default: all
 * @returns the pipeline's new state; undefined if it no longer exists
 */
export async function cancelPipeline(
  deps: Deps,
  pipelineId: number,
  options: CancelOptions & { only?: (jobs: readonly ProcessedJob[]) => readonly ProcessedJob[] } = {},
): Promise<Pipeline | undefined> {
  const pipeline = await deps.db.transaction().execute(async (db) => {
    const locked = await lockPipeline(db, pipelineId);
    if (locked === undefined) return undefined;
    const jobs = await latestJobs(db, pipelineId);
    const chosen = (options.only?.(jobs) ?? jobs).filter(({ status }) => isCancelable(status));
    if (chosen.length === 0) return locked;
    await cancelAll(deps, db, chosen, options);
    if (options.autoCanceledById == null) return processLocked(deps, db, locked);
    const values = { auto_canceled_by_id: options.autoCanceledById, updated_at: timestamp(deps.clock) };
    await db.updateTable('pipelines').set(values).where('id', '=', pipelineId).execute();
    return processLocked(deps, db, { ...locked, ...values });
  });
  if (pipeline === undefined || options.only !== undefined) return pipeline;
  const children = await deps.db.selectFrom('pipelines').select('id').where('parent_id', '=', pipelineId).execute();
  // At most a few levels, each pipeline in its own transaction, so that no two are locked at once.
  for (const { id } of children) await cancelPipeline(deps, id, options);
  return pipeline;
}

/** Cancels jobs of a locked pipeline. @returns the canceled jobs in their new state */
export async function cancelAll<J extends MovableJob>(
  deps: Deps,
  db: Db,
  jobs: readonly J[],
  { userId = null, autoCanceledById = null }: CancelOptions,
): Promise<J[]> {
  const options: MoveOptions = {
    actorId: userId,
    ...(autoCanceledById === null ? {} : { values: { auto_canceled_by_id: autoCanceledById } }),
  };
  const graceful = await gracefulOnes(db, jobs);
  const ending = jobs.filter(({ id }) => graceful.has(id));
  const rest = jobs.filter(({ id }) => !graceful.has(id));
  return [
    ...(await moveJobs(deps, db, 'begin_cancel', ending, options)),
    ...(await moveJobs(deps, db, 'cancel', rest, options)),
  ];
}

/** Ids of running jobs whose runner supports graceful cancellation. */
async function gracefulOnes(db: Db, jobs: readonly MovableJob[]): Promise<Set<number>> {
  const running = jobs.filter(({ status, kind }) => status === 'running' && kind === 'build').map(({ id }) => id);
  if (running.length === 0) return new Set();
  const rows = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_runner_managers as manager', 'manager.id', 'ci_jobs.runner_manager_id')
    .select(['ci_jobs.id', 'manager.features'])
    .where('ci_jobs.id', 'in', running)
    .execute();
  const able = rows.filter(({ features }) => parseJson<Record<string, unknown>>(features).cancel_gracefully === true);
  return new Set(able.map(({ id }) => id));
}
