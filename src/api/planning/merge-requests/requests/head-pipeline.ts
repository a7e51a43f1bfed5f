import type { Static } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { findProject } from '../../../../access/lookup.ts';
import { projectPermissions } from '../../../../access/permissions.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { Pipeline } from '../../../../db/tables/pipelines.ts';
import type { Deps } from '../../../../deps.ts';
import { presentPipelineBasic, projectUrl } from '../../../code/index.ts';
import { userBasic, usersById } from '../../../identity/index.ts';
import { headPipelines } from '../merging/head-pipelines.ts';
import type { HeadPipeline, MergeRequest as MergeRequestSchema } from './answers.ts';

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

/** Seconds from one instant to another; null where either is missing. */
const secondsBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));

/** Words of a state, as its badge shows it. */
function detailedStatus(pipeline: Pipeline, path: string): Static<typeof HeadPipeline>['detailed_status'] {
  const words = pipeline.status.replaceAll('_', ' ');
  const text = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return {
    icon: `status_${pipeline.status}`,
    text: pipeline.status === 'success' ? 'Passed' : text,
    label: pipeline.status === 'success' ? 'passed' : words,
    group: pipeline.status.replaceAll('_', '-'),
    tooltip: pipeline.status === 'success' ? 'passed' : words,
    has_details: true,
    details_path: path,
    illustration: null,
    favicon: null,
  };
}

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
  const webUrl = projectUrl(deps, source.project);
  const basic = presentPipelineBasic(pipeline, webUrl);
  const user = (await usersById(deps.db, [pipeline.user_id])).get(pipeline.user_id ?? 0);
  return {
    latest_build_started_at: pipeline.started_at,
    latest_build_finished_at: pipeline.finished_at,
    first_deployed_to_production_at: null,
    pipeline: basic,
    head_pipeline: {
      ...basic,
      before_sha: null,
      tag: pipeline.tag === 1,
      yaml_errors: null,
      user: user === undefined ? null : userBasic(deps, user),
      started_at: pipeline.started_at,
      finished_at: pipeline.finished_at,
      committed_at: null,
      duration: secondsBetween(pipeline.started_at, pipeline.finished_at),
      queued_duration: secondsBetween(pipeline.created_at, pipeline.started_at),
      coverage: null,
      detailed_status: detailedStatus(pipeline, `/${source.project.full_path}/-/pipelines/${pipeline.id}`),
    },
  };
}
