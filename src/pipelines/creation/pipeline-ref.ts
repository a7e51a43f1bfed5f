import { ACTIVE, isOneOf } from '../../ci/states.ts';
import { ApiError } from '../../core/core.errors.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import { inRepositoryQueue, repositoryOf } from '../../repositories/change-refs.ts';
import { ofProject } from '../../repositories/holder.ts';
import { updateServerRefs } from '../../repositories/server-writes.ts';

/** Ref from which runners fetch the commit of a pipeline while its jobs run, even if its branch is moved or deleted. */
export const pipelineRef = (id: number): string => `refs/pipelines/${id}`;

/**
 * Creates the ref of a pipeline for its runners. Called when a job has started, before its runner is told; usually the
 * ref exists by then, which costs no process.
 * @returns false if it cannot be created: the commit no longer exists, or the repository is read-only
 */
export async function keepPipelineRef(
  deps: Deps,
  project: Project,
  { id, sha }: Pick<Pipeline, 'id' | 'sha'>,
): Promise<boolean> {
  if ((await repositoryOf(deps, project).refs.resolve(pipelineRef(id))) === sha) return true;
  try {
    return await inRepositoryQueue(deps, project, async (repo) => {
      const now = await repo.refs.resolve(pipelineRef(id));
      if (now === sha) return true;
      const change = { ref: pipelineRef(id), old: now, new: sha };
      await updateServerRefs(deps, ofProject(project), repo, [change]);
      return true;
    });
  } catch (error) {
    if (error instanceof ApiError) return false;
    if (!(error instanceof GitError)) throw error;
    deps.log.log('warn', 'the ref of a pipeline could not be created', { id, error: error.message });
    return false;
  }
}

/** Creates the ref of a new pipeline in the background, unless it has no jobs to run. */
export async function keepNewPipelineRef(deps: Deps, pipelineId: number): Promise<void> {
  const pipeline = await deps.db.selectFrom('pipelines').selectAll().where('id', '=', pipelineId).executeTakeFirst();
  if (pipeline === undefined || !isOneOf(ACTIVE, pipeline.status)) return;
  const project = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', pipeline.project_id)
    .where('pending_delete', '=', 0)
    .executeTakeFirst();
  if (project === undefined) return;
  await keepPipelineRef(deps, project, pipeline);
  // The pipeline may have finished meanwhile, and the removal of its ref may have run earlier.
  await dropPipelineRef(deps, project.id, pipelineId);
}

/** Removes the ref of a pipeline that is finished or deleted. */
export async function dropPipelineRef(deps: Deps, projectId: number, pipelineId: number): Promise<void> {
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', projectId).executeTakeFirst();
  if (project === undefined || project.pending_delete === 1) return;
  const pipelineNow = () =>
    deps.db.selectFrom('pipelines').select(['id', 'sha', 'status']).where('id', '=', pipelineId).executeTakeFirst();
  const isNeeded = async () => {
    const pipeline = await pipelineNow();
    return pipeline !== undefined && isOneOf(ACTIVE, pipeline.status);
  };
  await inRepositoryQueue(deps, project, async (repo) => {
    const now = await repo.refs.resolve(pipelineRef(pipelineId));
    if (now === null || (await isNeeded())) return;
    const change = { ref: pipelineRef(pipelineId), old: now, new: null };
    await updateServerRefs(deps, ofProject(project), repo, [change]);
  });
  // One of its jobs may have been retried and started meanwhile.
  const pipeline = await pipelineNow();
  if (pipeline !== undefined && isOneOf(ACTIVE, pipeline.status)) await keepPipelineRef(deps, project, pipeline);
}
