import type { Static } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { findProject } from '../../../../access/lookup.ts';
import { projectPermissions } from '../../../../access/permissions.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { presentPipeline, presentPipelineBasic, projectUrl } from '../../../code/index.ts';
import { headPipelines } from '../mergeability/head-pipelines.ts';
import type { MergeRequest as MergeRequestSchema } from './merge-requests.responses.ts';

type Single = Static<typeof MergeRequestSchema>;
type PipelineKeys =
  | 'pipeline'
  | 'head_pipeline'
  | 'latest_build_started_at'
  | 'latest_build_finished_at'
  | 'first_deployed_to_production_at';

/**
 * Attributes of a single merge request about its head pipeline. The pipeline itself is included only if the caller may
 * see pipelines of the project that it runs in, which may be another one.
 */
export async function headPipelineOf(
  deps: Deps,
  caller: Caller,
  row: MergeRequest,
): Promise<Pick<Single, PipelineKeys>> {
  const deployed = { first_deployed_to_production_at: await firstDeployment(deps, row) };
  const none = { latest_build_started_at: null, latest_build_finished_at: null, ...deployed };
  const pipeline = (await headPipelines(deps.db, [row])).get(row.id);
  const place = pipeline?.project_id ?? row.source_project_id;
  const scope = place === null ? undefined : await findProject(deps, String(place));
  if (scope === undefined) return { ...none, pipeline: null, head_pipeline: null };
  const { project, namespace } = scope;
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_pipeline')) return none;
  if (pipeline === undefined) return { ...none, pipeline: null, head_pipeline: null };
  return {
    latest_build_started_at: pipeline.started_at,
    latest_build_finished_at: pipeline.finished_at,
    ...deployed,
    pipeline: presentPipelineBasic(pipeline, projectUrl(deps, project)),
    head_pipeline: await presentPipeline(deps, pipeline, project),
  };
}

/** Time of the first deployment of the target branch to production after the merge. */
async function firstDeployment(
  { db, clock }: Deps,
  { project_id, target_branch, merged_at }: Pick<MergeRequest, 'project_id' | 'target_branch' | 'merged_at'>,
): Promise<string | null> {
  // In the response to the merge itself nothing has been deployed yet.
  if (merged_at === null || clock.now().getTime() - Date.parse(merged_at) < 1_000) return null;
  const deployment = await db
    .selectFrom('deployments')
    .innerJoin('environments', 'environments.id', 'deployments.environment_id')
    .select('deployments.finished_at')
    .where('environments.project_id', '=', project_id)
    .where('environments.tier', '=', 'production')
    .where('deployments.ref', '=', target_branch)
    .where('deployments.status', '=', 'success')
    .where('deployments.created_at', '>=', merged_at)
    .orderBy('deployments.id')
    .limit(1)
    .executeTakeFirst();
  return deployment?.finished_at ?? null;
}
