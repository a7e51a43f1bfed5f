import { REPORT_ARTIFACT_TYPES } from '../../ci/artifact-types.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';

/**
 * Keeps all artifacts of jobs forever.
 * @param db of a transaction
 * @returns ids of jobs with a kept archive, oldest first
 */
export async function retainArtifactsOf(db: Db, jobIds: readonly number[]): Promise<number[]> {
  await db.updateTable('ci_jobs').set({ artifacts_expire_at: null }).where('id', 'in', jobIds).execute();
  const artifacts = await db
    .updateTable('ci_job_artifacts')
    .set({ expire_at: null })
    .where('job_id', 'in', jobIds)
    .returning(['job_id', 'file_type'])
    .execute();
  const archives = artifacts.filter(({ file_type }) => file_type === 'archive');
  return archives.map(({ job_id }) => job_id).sort((one, other) => one - other);
}

/**
 * Keeps the unexpired artifacts of all jobs of a pipeline forever that have both an archive and a report.
 * @param db of a transaction
 * @param now as stored
 * @returns ids of the jobs, oldest first
 */
export async function retainReportsOf(db: Db, pipelineId: number, now: string): Promise<number[]> {
  const jobs = await db
    .selectFrom('ci_jobs')
    .innerJoin('pipelines', 'pipelines.id', 'ci_jobs.pipeline_id')
    .innerJoin('ci_job_artifacts as archive', 'archive.job_id', 'ci_jobs.id')
    .select('ci_jobs.id')
    .where('ci_jobs.pipeline_id', '=', pipelineId)
    .where('ci_jobs.retried', '=', 0)
    .where('archive.file_type', '=', 'archive')
    .where((eb) =>
      eb.or([eb('archive.expire_at', 'is', null), eb('archive.expire_at', '>', now), eb('pipelines.locked', '=', 1)]),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('ci_job_artifacts as report')
          .select('report.id')
          .whereRef('report.job_id', '=', 'ci_jobs.id')
          .where('report.file_type', 'in', REPORT_ARTIFACT_TYPES),
      ),
    )
    .execute();
  return retainArtifactsOf(db, pluck(jobs, 'id'));
}
