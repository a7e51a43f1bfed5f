import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import { notFound } from '../../../core/errors.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Pipeline } from '../../../db/tables/pipelines.ts';
import type { Deps } from '../../../deps.ts';
import { commitStats, statsOfNew } from '../../../git/diff-stats.ts';
import { ask } from '../../../git/readers/ask.ts';
import { COMMITS } from '../../../git/readers/log-page.ts';
import type { Repository } from '../../../git/repository.ts';
import type { Serialized } from '../../../http/send.ts';
import type { ProjectScope } from '../../access.ts';
import { presentPipelineBasic } from '../pipelines/views.ts';
import { presentCommit, presentStats, projectUrl } from './views.ts';

const pipelinesOf = prepared((db, { projectId, sha }: { projectId: number; sha: string }) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('sha', '=', sha)
    .where('source', 'not in', DANGLING_SOURCES)
    .orderBy('id', 'desc')
    .limit(1),
);

/** The newest pipeline of a commit that says something of it; undefined when it has none. */
function lastPipelineOf(deps: Deps, projectId: number, sha: string): Promise<Pipeline | undefined> {
  return deps.snapshot.get(
    `pipeline:${projectId}:${sha}`,
    async () => (await pipelinesOf(deps.db, { projectId, sha }))[0],
  );
}

/**
 * A commit as create and get-single show it (part 1, section 2). Its pipeline is shown to those who may see pipelines.
 * Kept with what can change in it named in the key.
 * @param isNew whether it was made just now
 * @throws ApiError 404 `404 Commit Not Found`
 */
export async function commitDetail(
  deps: Deps,
  { project, permissions }: Pick<ProjectScope, 'project' | 'permissions'>,
  repo: Repository,
  oid: string,
  withStats: boolean,
  isNew = false,
): Promise<Serialized> {
  const webUrl = projectUrl(deps, project);
  const pipeline = permissions.can('read_pipeline') ? await lastPipelineOf(deps, project.id, oid) : undefined;
  const state = pipeline === undefined ? '' : `${pipeline.id}:${pipeline.status}:${pipeline.updated_at}`;
  return deps.answers.get(`commit:${repo.id}:${oid}:${withStats}:${state}:${webUrl}`, async () => {
    // What was made just now is in memory here.
    const [commit = null] = isNew ? [await repo.objects.commit(oid)] : await ask(repo, COMMITS, [oid]);
    if (commit === null) throw notFound('Commit');
    const stats = withStats ? await (isNew ? statsOfNew : commitStats)(repo, oid) : undefined;
    return {
      ...presentCommit(commit, webUrl, true),
      ...(stats === undefined ? {} : { stats: presentStats(stats) }),
      status: pipeline?.status ?? null,
      project_id: project.id,
      last_pipeline: pipeline === undefined ? null : presentPipelineBasic(pipeline, webUrl),
    };
  });
}
