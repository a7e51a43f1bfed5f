import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import { notFound } from '../../../core/core.errors.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../deps.ts';
import { bufferOver } from '../../../git/common/index.ts';
import { commitStats, statsOfNew } from '../../../git/diff/index.ts';
import { ask, type Repository } from '../../../git/repository/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import type { ProjectScope } from '../../api.access.ts';
import { presentPipelineBasic } from '../pipelines/commit-pipelines.views.ts';
import { presentStats, projectUrl } from './commits.views.ts';
import { COMMIT_JSON } from './detail-json.ts';

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

const anyPipelineOf = prepared((db, { projectId }: { projectId: number }) =>
  db.selectFrom('pipelines').select('id').where('project_id', '=', projectId).limit(1),
);

/**
 * Whether a project may have pipelines. The absence of pipelines is cached where possible, to avoid look-ups for each
 * commit.
 */
async function mayHavePipelines({ db, snapshot }: Deps, projectId: number): Promise<boolean> {
  const key = `pipelines:${projectId}`;
  const known = snapshot.peek<boolean>(key);
  if (known !== undefined) return known.value;
  if (!snapshot.remembers) return true;
  return await snapshot.get(key, async () => (await anyPipelineOf(db, { projectId })).length > 0);
}

/** Returns the latest pipeline of a commit; undefined if there is none. */
async function lastPipelineOf(deps: Deps, projectId: number, sha: string): Promise<Pipeline | undefined> {
  if (!(await mayHavePipelines(deps, projectId))) return undefined;
  return await deps.snapshot.get(
    `pipeline:${projectId}:${sha}`,
    async () => (await pipelinesOf(deps.db, { projectId, sha }))[0],
  );
}

/**
 * Renders a single commit (part 1, section 2). Its pipeline is included for callers who may see pipelines. Cached, with
 * everything that can change in the key.
 * @param isNew whether it was just created
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
  const key = `commit:${repo.id}:${oid}:${withStats}:${state}:${webUrl}`;
  const cached = deps.immutableResponses.peek(key);
  if (cached !== undefined) return cached.json;
  const stats = withStats ? await (isNew ? statsOfNew : commitStats)(repo, oid) : undefined;
  const shown = {
    ...(stats === undefined ? {} : { stats: presentStats(stats) }),
    status: pipeline?.status ?? null,
    project_id: project.id,
    last_pipeline: pipeline === undefined ? null : presentPipelineBasic(pipeline, webUrl),
  };
  // A commit that was just created is in the memory of this process.
  const read = isNew ? COMMIT_JSON.find(repo, oid, webUrl, shown) : ask(repo, COMMIT_JSON, oid, webUrl, shown);
  const json = await read;
  if (json === null) throw notFound('Commit');
  return deps.immutableResponses.setBody(key, new Serialized(bufferOver(json.bytes), json.etag), {}).json;
}
