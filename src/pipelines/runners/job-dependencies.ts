import { groupName } from '../../ci/slugs.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';

/**
 * Jobs of the same pipeline whose artifacts and reported variables a job receives: its `needs` with artifacts, or all
 * jobs of earlier stages, limited to its `dependencies`. Only existing jobs, and the latest of several attempts, in the
 * order of stages.
 * @param names `dependencies` of its configuration; null for all
 */
export async function dependenciesOf(
  db: Db,
  job: Pick<CiJob, 'id' | 'pipeline_id' | 'scheduling' | 'stage_index'>,
  names: readonly string[] | null,
): Promise<CiJob[]> {
  if (names?.length === 0) return [];
  const jobs = db
    .selectFrom('ci_jobs')
    .selectAll('ci_jobs')
    .where('ci_jobs.pipeline_id', '=', job.pipeline_id)
    .where('ci_jobs.kind', '=', 'build')
    .where('ci_jobs.retried', '=', 0)
    .orderBy('ci_jobs.stage_index')
    .orderBy('ci_jobs.id');
  const dependencies = await (job.scheduling === 'dag'
    ? jobs
        .innerJoin('ci_job_needs as need', 'need.name', 'ci_jobs.name')
        .where('need.job_id', '=', job.id)
        .where('need.artifacts', '=', 1)
    : jobs.where('ci_jobs.stage_index', '<', job.stage_index)
  ).execute();
  if (names === null) return dependencies;
  // A name includes all parallel jobs under it.
  return dependencies.filter(({ name }) => names.includes(name) || names.includes(groupName(name)));
}
