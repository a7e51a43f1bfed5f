import { DANGLING_SOURCES } from '../../ci/pipeline-sources.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';

/** Maximum number of pipelines searched. */
const RECENT = 100;
/** Maximum depth of nested child pipelines. */
const MAX_DEPTH = 10;

/**
 * The job with this name and an archive in the last successful pipeline of a ref: in that pipeline, else in its
 * descendants.
 * @param ref short name of a branch or tag, or `refs/merge-requests/:iid/head` and the like
 * @param recent searches the last hundred successful pipelines instead of the last one
 */
export async function jobOfRef(
  db: Db,
  projectId: number,
  ref: string,
  name: string,
  recent: boolean,
): Promise<Pick<CiJob, 'id'> | undefined> {
  const limit = recent ? RECENT : 1;
  // As everywhere else, a branch takes precedence over a tag of the same name.
  const ofBranch = await lastSuccessful(db, { project_id: projectId, ref, tag: 0 }, limit);
  const ids = ofBranch.length > 0 ? ofBranch : await lastSuccessful(db, { project_id: projectId, ref, tag: 1 }, limit);
  if (ids.length === 0) return undefined;
  const roots = await withDescendants(db, ids);
  const jobs = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_job_artifacts', 'ci_job_artifacts.job_id', 'ci_jobs.id')
    .select(['ci_jobs.id', 'ci_jobs.pipeline_id'])
    .where('ci_jobs.pipeline_id', 'in', [...roots.keys()])
    .where('ci_jobs.name', '=', name)
    .where('ci_jobs.kind', '=', 'build')
    .where('ci_jobs.retried', '=', 0)
    .where('ci_job_artifacts.file_type', '=', 'archive')
    .execute();
  // Newest pipeline first, and in it the parent before its children.
  const rootOf = (job: { pipeline_id: number }) => roots.get(job.pipeline_id)!;
  jobs.sort((a, b) => rootOf(b) - rootOf(a) || a.pipeline_id - b.pipeline_id || b.id - a.id);
  return jobs[0];
}

/** Ids of the last successful pipelines of a branch or tag, newest first. */
export async function lastSuccessful(
  db: Db,
  { project_id, ref, tag }: Pick<Pipeline, 'project_id' | 'ref' | 'tag'>,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('status', '=', 'success')
    .where('source', 'not in', DANGLING_SOURCES)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Pipelines with their descendants, each mapped to its root. */
export async function withDescendants(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const roots = new Map(ids.map((id) => [id, id]));
  let level = [...ids];
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const children = await db
      .selectFrom('pipelines')
      .select(['id', 'parent_id'])
      .where('parent_id', 'in', level)
      .execute();
    for (const { id, parent_id } of children) roots.set(id, roots.get(parent_id!)!);
    level = children.map(({ id }) => id);
  }
  return roots;
}
