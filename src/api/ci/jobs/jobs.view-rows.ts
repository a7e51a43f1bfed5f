import { projectsOfIds } from '../../../access/find-by-id.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiJobArtifact } from '../../../db/tables/ci-job-artifacts.table.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const each = (ids: Iterable<number>) => [...new Set(ids)];

/** Loads the pipelines of jobs, by id. */
export async function pipelinesOf(db: Db, jobs: readonly CiJob[]): Promise<Map<number, Pipeline>> {
  const ids = each(jobs.map(({ pipeline_id }) => pipeline_id));
  const rows = await db.selectFrom('pipelines').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Loads the projects of jobs, by id. */
export async function projectsOf(db: Db, jobs: readonly CiJob[]): Promise<Map<number, Project>> {
  const ids = each(jobs.map(({ project_id }) => project_id));
  const rows = await projectsOfIds(db, { ids });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Loads the artifacts of jobs, by job id. */
export async function artifactsOf(db: Db, jobs: readonly CiJob[]): Promise<Map<number, CiJobArtifact[]>> {
  const rows = await db
    .selectFrom('ci_job_artifacts')
    .selectAll()
    .where('job_id', 'in', each(jobs.map(({ id }) => id)))
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, ({ job_id }) => job_id);
}

/** Loads the downstream pipelines of bridges, by bridge id; the last of several. */
export async function downstreamOf(db: Db, bridges: readonly CiJob[]): Promise<Map<number, Pipeline>> {
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .where('upstream_job_id', 'in', each(bridges.map(({ id }) => id)))
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.upstream_job_id!, row]));
}
