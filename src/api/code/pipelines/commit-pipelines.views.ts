import type { Static } from 'typebox';
import type { PipelineSource } from '../../../ci/pipeline-sources.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { projectUrl } from '../commits/commits.views.ts';
import type { PipelineBasic, PipelineListEntry, Pipeline as PipelineSchema } from './commit-pipelines.responses.ts';
import { detailedStatus } from './detailed-status.ts';

/**
 * Renders the basic fields of a pipeline.
 * @param webUrl URL of its project
 */
export const presentPipelineBasic = (pipeline: Pipeline, webUrl: string): Static<typeof PipelineBasic> => ({
  id: pipeline.id,
  iid: pipeline.iid,
  project_id: pipeline.project_id,
  sha: pipeline.sha,
  ref: pipeline.ref,
  status: pipeline.status,
  source: pipeline.source as PipelineSource,
  created_at: pipeline.created_at,
  updated_at: pipeline.updated_at,
  web_url: `${webUrl}/-/pipelines/${pipeline.id}`,
});

/** Renders the pipelines of a project for a list. */
export function presentPipelineEntries(
  deps: Deps,
  project: Project,
  pipelines: readonly Pipeline[],
): Static<typeof PipelineListEntry>[] {
  const webUrl = projectUrl(deps, project);
  return pipelines.map((pipeline) => ({ ...presentPipelineBasic(pipeline, webUrl), name: pipeline.name }));
}

/** Whole seconds between two instants; null if either is missing, or less than one second passed. */
function secondsBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const seconds = Math.trunc((Date.parse(to) - Date.parse(from)) / 1_000);
  return seconds > 0 ? seconds : null;
}

/**
 * Average coverage of the jobs of a pipeline, without retried ones, and whether a job failed that is allowed to fail.
 */
async function summaryOf(db: Db, pipelineId: number): Promise<{ coverage: number | null; warned: boolean }> {
  const { coverage, warned } = await db
    .selectFrom('ci_jobs')
    .select(({ fn, eb }) => [
      fn.avg<number | string | null>('coverage').as('coverage'),
      fn
        .max(
          eb
            .case()
            .when(eb.and([eb('allow_failure', '=', 1), eb('status', 'in', ['failed', 'canceled'])]))
            .then(1)
            .else(0)
            .end(),
        )
        .as('warned'),
    ])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .executeTakeFirstOrThrow();
  return { coverage: coverage === null ? null : Number(coverage), warned: Number(warned) === 1 };
}

/** Renders a pipeline with all details; two queries. */
export async function presentPipeline(
  deps: Pick<Deps, 'db' | 'externalUrl'>,
  pipeline: Pipeline,
  project: Pick<Project, 'full_path'>,
): Promise<Static<typeof PipelineSchema>> {
  const { db } = deps;
  const { user_id, started_at } = pipeline;
  const user = (await usersById(db, [user_id])).get(user_id ?? 0);
  const { coverage, warned } = await summaryOf(db, pipeline.id);
  const path = `/${project.full_path}`;
  return {
    ...presentPipelineBasic(pipeline, `${deps.externalUrl()}${path}`),
    before_sha: pipeline.before_sha,
    tag: pipeline.tag === 1,
    yaml_errors: pipeline.yaml_errors,
    user: user === undefined ? null : userBasic(deps, user),
    started_at,
    finished_at: pipeline.finished_at,
    committed_at: null,
    duration: pipeline.duration ?? secondsBetween(started_at, pipeline.finished_at),
    queued_duration: secondsBetween(pipeline.created_at, started_at),
    coverage: coverage === null ? null : coverage.toFixed(2),
    detailed_status: detailedStatus(pipeline.status, warned, `${path}/-/pipelines/${pipeline.id}`),
    name: pipeline.name,
    archived: false,
  };
}
