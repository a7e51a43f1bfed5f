import type { Static } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { findProject } from '../../../../access/lookup.ts';
import { projectPermissions } from '../../../../access/permissions.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { Deps } from '../../../../deps.ts';
import { presentPipeline, presentPipelineBasic, projectUrl } from '../../../code/index.ts';
import { headPipelines } from '../merging/head-pipelines.ts';
import type { MergeRequest as MergeRequestSchema } from './answers.ts';

type Single = Static<typeof MergeRequestSchema>;
type PipelineKeys =
  | 'pipeline'
  | 'head_pipeline'
  | 'latest_build_started_at'
  | 'latest_build_finished_at'
  | 'first_deployed_to_production_at';

const NONE: Pick<Single, PipelineKeys> = {
  latest_build_started_at: null,
  latest_build_finished_at: null,
  first_deployed_to_production_at: null,
};

/**
 * What a single merge request tells of the pipeline of its head. The pipeline itself is shown to those who may read
 * pipelines of the source project, which may be another one than the caller sees.
 */
export async function headPipelineOf(
  deps: Deps,
  caller: Caller,
  row: MergeRequest,
): Promise<Pick<Single, PipelineKeys>> {
  const source = row.source_project_id === null ? undefined : await findProject(deps, String(row.source_project_id));
  if (source === undefined) return { ...NONE, pipeline: null, head_pipeline: null };
  const permissions = await projectPermissions(deps, caller, source.project, source.namespace);
  if (!permissions.can('read_commit_status')) return NONE;
  const pipeline = (await headPipelines(deps.db, [row])).get(row.id);
  if (pipeline === undefined) return { ...NONE, pipeline: null, head_pipeline: null };
  return {
    latest_build_started_at: pipeline.started_at,
    latest_build_finished_at: pipeline.finished_at,
    first_deployed_to_production_at: null,
    pipeline: presentPipelineBasic(pipeline, projectUrl(deps, source.project)),
    head_pipeline: await presentPipeline(deps, pipeline, source.project),
  };
}
