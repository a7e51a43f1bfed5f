import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import { lockPipeline } from './pipeline-status.ts';

/** A job with its pipeline, locked by the transaction. */
export interface LockedJob {
  pipeline: Pipeline;
  job: CiJob;
  /** Whether its configuration is available: an imported job has none and cannot run again. */
  configured: boolean;
}

/** Locks the pipeline of a job and reads both. @returns null if the job no longer exists */
export async function lockJob(db: Db, jobId: number): Promise<LockedJob | null> {
  const unlockedJob = await db.selectFrom('ci_jobs').select('pipeline_id').where('id', '=', jobId).executeTakeFirst();
  const pipeline = unlockedJob === undefined ? undefined : await lockPipeline(db, unlockedJob.pipeline_id);
  if (pipeline === undefined) return null;
  const row = await db
    .selectFrom('ci_jobs')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('ci_job_configs')
        .whereRef('ci_job_configs.job_id', '=', 'ci_jobs.id')
        .select('ci_job_configs.job_id')
        .as('configuration'),
    )
    .where('id', '=', jobId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { configuration, ...job } = row;
  return { pipeline, job, configured: configuration !== null };
}
