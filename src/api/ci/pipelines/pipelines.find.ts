import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { resolveRevision } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';

/** Returns a pipeline of a project. @throws ApiError 404 */
export async function findPipeline(db: Db, projectId: number, id: number): Promise<Pipeline> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow(recordNotFound);
}

/**
 * Returns the latest pipeline of the last commit of a branch or tag, ignoring dangling pipelines; undefined if there is
 * none.
 */
export async function latestPipeline(deps: Deps, project: Project, ref: string | null): Promise<Pipeline | undefined> {
  const repo = repositoryOf(deps, project);
  const name = ref ?? (await repo.refs.head());
  if (name === null) return undefined;
  const revision = await resolveRevision(repo, name);
  if (revision === null) return undefined;
  return deps.db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('sha', '=', revision.oid)
    .where('ref', '=', name)
    .where('source', 'not in', DANGLING_SOURCES)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
