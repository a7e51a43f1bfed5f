import { Type } from 'typebox';
import type { Deployment as Row } from '../../../db/tables/deployments.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { onObject, type ProjectObject } from '../../object-access.ts';
import { MergeRequestBasic, presentMergeRequests } from '../../planning/index.ts';
import { Deployment } from '../environments/environments.responses.ts';
import { changedDeployment, DeploymentId, listDeployments, newDeployment } from './deployments.inputs.ts';
import { deployedMergeRequests, deploymentsOf, findDeployment } from './deployments.queries.ts';
import { presentDeployments } from './deployments.views.ts';
import { createDeployment, removeDeployment, updateDeployment } from './deployments.writes.ts';

const PATH = '/projects/:id/deployments';
const ONE = `${PATH}/:deployment_id`;
const credentials = API_AND_JOB_TOKENS;

const deploymentObject: ProjectObject<typeof DeploymentId, { deployment: Row }> = {
  noun: 'deployment',
  sees: 'read_environment',
  params: DeploymentId,
  find: async (deps, { project }, { deployment_id }) => ({
    deployment: await findDeployment(deps.db, project.id, deployment_id),
  }),
};
const readable = onObject(deploymentObject, 'read_environment');

/** Deployments to the environments of projects, by jobs or by external tools. */
export const deploymentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the deployments of a project',
    access: inProject('read_environment'),
    credentials,
    input: listDeployments,
    success: { status: 200, schema: Type.Array(Deployment) },
    handler: (c) =>
      c.page(deploymentsOf(c.deps.db, c.project.id, c.input), (rows) => presentDeployments(c.deps, c.project, rows)),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a deployment',
    access: readable,
    credentials,
    success: { status: 200, schema: Deployment },
    handler: async ({ deps, project, deployment }) => (await presentDeployments(deps, project, [deployment]))[0],
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a deployment made by an external tool',
    access: inProjectByUser('create_deployment'),
    credentials,
    input: newDeployment,
    success: { status: 201, schema: Deployment },
    handler: async (c) => {
      const made = await createDeployment(c.deps, c.project, c.caller, c.input);
      return (await presentDeployments(c.deps, c.project, [made]))[0];
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a deployment made by an external tool',
    access: onObject(deploymentObject, 'update_deployment'),
    credentials,
    input: changedDeployment,
    success: { status: 200, schema: Deployment },
    handler: async ({ deps, caller, project, deployment, input }) => {
      const changed = await updateDeployment(deps, deployment, caller, input.status);
      return (await presentDeployments(deps, project, [changed]))[0];
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a deployment',
    description: 'Running deployments and the current deployment of an environment cannot be deleted.',
    access: onObject(deploymentObject, 'destroy_deployment'),
    credentials,
    success: { status: 204, empty: true },
    errors: [400, 412],
    handler: async ({ deps, deployment, request }) => {
      checkUnmodifiedSince(request, deployment.updated_at);
      await removeDeployment(deps, deployment);
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/merge_requests`,
    summary: 'List the merge requests shipped with a deployment',
    description: 'Merge requests merged since the previous deployment. Empty if the caller may not see merge requests.',
    access: readable,
    credentials,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(MergeRequestBasic) },
    handler: async (c) => {
      const { deps, project } = c;
      const readable = c.permissions.can('read_merge_request');
      return c.page(readable ? await deployedMergeRequests(deps, project, c.deployment) : [], (rows) =>
        presentMergeRequests(deps, rows, { from: { project } }),
      );
    },
  }),
];
