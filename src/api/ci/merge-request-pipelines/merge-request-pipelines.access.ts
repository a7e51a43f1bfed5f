import { describeProjectAbility } from '../../../access/ability-words.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/http.route.ts';
import { inProjectByUser } from '../../api.access.ts';
import type { UserScope } from '../../object-access.ts';
import { findMergeRequest } from '../../planning/index.ts';
import { MergeRequestIid } from './merge-request-pipelines.inputs.ts';

const seen = inProjectByUser('read_merge_request');

/**
 * Users who may run pipelines for a merge request, in its project or in the source project. Handlers find the merge
 * request in their context.
 */
export const pipelineStarter: Access<UserScope & { mergeRequest: MergeRequest }> = {
  ...seen,
  description: `${describeProjectAbility('create_pipeline')}, or in the project of the source branch`,
  ability: 'create_pipeline',
  writes: true,
  params: { ...seen.params, ...MergeRequestIid },
  check: async (request) => {
    const { deps } = request;
    const scope = await seen.check(request);
    const iid = Number(request.values().merge_request_iid);
    const mergeRequest = await findMergeRequest(deps.db, scope, iid);
    const { source_project_id } = mergeRequest;
    const may =
      scope.permissions.can('create_pipeline') ||
      (source_project_id !== null && (await mayRunIn(deps, scope, source_project_id)));
    if (!may) throw forbidden();
    return { ...scope, mergeRequest };
  },
};

async function mayRunIn(deps: Deps, { caller, project: { id } }: UserScope, projectId: number): Promise<boolean> {
  const sourceProject = projectId === id ? undefined : await findProject(deps, String(projectId));
  if (sourceProject === undefined) return false;
  const { project, namespace } = sourceProject;
  return (await projectPermissions(deps, caller, project, namespace)).can('create_pipeline');
}
