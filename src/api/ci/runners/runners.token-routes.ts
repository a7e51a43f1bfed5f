import type { UserCaller } from '../../../access/caller.ts';
import { findNamespace, findProject } from '../../../access/lookup.ts';
import { groupPermissions, projectPermissions } from '../../../access/permissions.ts';
import { forbidden, invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import {
  INSTANCE,
  type RegistrationOwner,
  resetRegistrationToken,
} from '../../../pipelines/runners/registration-tokens.ts';
import { inGroup, inProject, onServer } from '../../api.access.ts';
import { createRunner, type RunnerOwner } from './runners.create.ts';
import { newRunner } from './runners.inputs.ts';
import { RenewedRunnerToken, RunnerRegistration } from './runners.responses.ts';

interface RegistrationType {
  runner_type: 'instance_type' | 'group_type' | 'project_type';
  group_id?: number | undefined;
  project_id?: number | undefined;
}

const insufficient = () => forbidden('Insufficient permissions');

/** Returns the owner for a new runner, if the caller may create one there. @throws ApiError 400, 403, 404 */
async function ownerFor(deps: Deps, caller: UserCaller, type: RegistrationType): Promise<RunnerOwner> {
  if (type.runner_type === 'instance_type') {
    if (!caller.admin) throw insufficient();
    return { runner_type: 'instance_type' };
  }
  const { valid_runner_registrars: registrars } = deps.settings.now;
  const mayMake = (kind: 'group' | 'project') => caller.admin || registrars.includes(kind);
  if (type.runner_type === 'group_type') {
    if (type.group_id === undefined) throw invalidParameter('group_id is missing');
    const group = await findNamespace(deps, String(type.group_id), 'group');
    const permissions = group === undefined ? undefined : await groupPermissions(deps, caller, group);
    if (group === undefined || permissions?.can('read_group') !== true) throw notFound('Group');
    if (!permissions.can('admin_group_runners') || !mayMake('group')) throw insufficient();
    return { runner_type: 'group_type', groupId: group.id };
  }
  if (type.project_id === undefined) throw invalidParameter('project_id is missing');
  const project = await findProject(deps, String(type.project_id));
  const permissions =
    project === undefined ? undefined : await projectPermissions(deps, caller, project.project, project.namespace);
  if (project === undefined || permissions?.can('read_project') !== true) throw notFound('Project');
  if (!permissions.can('admin_runners') || !mayMake('project')) throw insufficient();
  return { runner_type: 'project_type', project: project.project };
}

const resets = { status: 201, schema: RenewedRunnerToken } as const;
const renewed = async (deps: Deps, owner: RegistrationOwner) => ({
  token: await resetRegistrationToken(deps, owner),
  token_expires_at: null,
});

/** Creation of runners by users, and registration tokens. */
export const runnerTokenRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/user/runners',
    operationId: 'createRunner',
    summary: 'Create a runner',
    description:
      'Returns the token of the runner, which is never shown again. The runner program authenticates with it.',
    access: onServer('create_runner'),
    scopes: ['create_runner'],
    input: newRunner,
    success: { status: 201, schema: RunnerRegistration },
    errors: [404],
    handler: async ({ deps, caller, input }) => {
      const owner = await ownerFor(deps, caller, input);
      const { row, token } = await createRunner(deps, owner, input, caller.user.id);
      return { id: row.id, token, token_expires_at: row.token_expires_at };
    },
  }),
  route({
    method: 'POST',
    path: '/runners/reset_registration_token',
    summary: 'Reset the registration token of the instance',
    access: onServer('admin_instance_runners'),
    success: resets,
    handler: ({ deps }) => renewed(deps, INSTANCE),
  }),
  route({
    method: 'POST',
    path: '/groups/:id/runners/reset_registration_token',
    summary: 'Reset the registration token of a group',
    access: inGroup('admin_group_runners'),
    success: resets,
    handler: ({ deps, group }) => renewed(deps, { project_id: null, group_id: group.id }),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/runners/reset_registration_token',
    summary: 'Reset the registration token of a project',
    access: inProject('admin_runners'),
    success: resets,
    handler: ({ deps, project }) => renewed(deps, { project_id: project.id, group_id: null }),
  }),
];
