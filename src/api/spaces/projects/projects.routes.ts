import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { inProject, inProjectByUser, onServer } from '../../api.access.ts';
import { userById } from '../../identity/index.ts';
import { CreateInput, createProjectByInput } from './creation.ts';
import { setArchived } from './projects.archive.ts';
import { forkRoutes } from './projects.fork-routes.ts';
import { projectListRoutes } from './projects.list-routes.ts';
import { deleteProject, restoreProject } from './projects.mark.ts';
import { presentProject } from './projects.page-views.ts';
import { Accepted, Project } from './projects.responses.ts';
import { starRoutes } from './projects.star-routes.ts';
import { storageRoutes } from './projects.storage-routes.ts';
import { transferRoutes } from './projects.transfer-routes.ts';
import { UPDATE_NAMES, UpdateInput, updateProject } from './projects.update.ts';
import { userOf } from './user-of.ts';

const nameOrPath = { atLeastOne: [['name', 'path']] } as const;

const archiving = (action: 'archive' | 'unarchive') =>
  route({
    method: 'POST',
    path: `/projects/:id/${action}`,
    summary: action === 'archive' ? 'Archive a project' : 'Unarchive a project',
    access: inProject('archive_project'),
    success: { status: 201, schema: Project },
    handler: async (c) => {
      const changed = await setArchived(c.deps, userOf(c.caller), c.project, action === 'archive');
      return presentProject(c.deps, c.caller, changed);
    },
  });

export const projectRoutes = [
  ...projectListRoutes,
  route({
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    access: onServer('create_project'),
    input: CreateInput,
    rules: nameOrPath,
    success: { status: 201, schema: Project },
    errors: [403, 404, 422],
    handler: async (c) => {
      const project = await createProjectByInput(c.deps, c.caller, c.caller.user, c.input);
      return presentProject(c.deps, c.caller, project);
    },
  }),
  route({
    method: 'POST',
    path: '/projects/user/:user_id',
    operationId: 'createProjectForUser',
    summary: 'Create a project for a user',
    access: onServer('admin_projects'),
    params: Type.Object({ user_id: Type.Integer() }),
    input: CreateInput,
    rules: nameOrPath,
    success: { status: 201, schema: Project },
    errors: [404, 422],
    handler: async (c) => {
      const owner = await userById(c.deps.db, c.params.user_id);
      const project = await createProjectByInput(c.deps, c.caller, owner, c.input);
      return presentProject(c.deps, c.caller, project);
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id',
    summary: 'Get a project',
    description: 'Anonymous callers get fewer fields.',
    access: inProject('read_project', { anonymous: true }),
    input: Type.Object({
      license: Type.Optional(Type.Boolean({ default: false })),
      statistics: Type.Optional(Type.Boolean({ default: false })),
      with_custom_attributes: Type.Optional(
        Type.Boolean({ default: false, description: 'Include custom attributes; for administrators.' }),
      ),
    }),
    success: { status: 200, schema: Project },
    handler: (c) =>
      presentProject(c.deps, c.caller, c.project, {
        license: c.input.license ?? false,
        statistics: c.input.statistics ?? false,
        customAttributes: c.input.with_custom_attributes ?? false,
        permissions: true,
      }),
  }),
  route({
    method: 'PUT',
    path: '/projects/:id',
    summary: 'Update a project',
    description:
      'Callers with the custom permission `manage_merge_request_settings` can change merge request settings only.',
    access: inProject('configure_merge_requests'),
    input: UpdateInput,
    rules: { atLeastOne: [UPDATE_NAMES] },
    success: { status: 200, schema: Project },
    errors: [422],
    handler: async (c) => {
      const changed = await updateProject(c.deps, { ...c, caller: userOf(c.caller) }, c.input);
      return presentProject(c.deps, c.caller, changed);
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id',
    summary: 'Delete a project',
    description:
      'With delayed deletion, the project is marked for deletion, renamed and read-only until the delay is over; otherwise it is deleted immediately. Files are removed in the background.',
    access: inProjectByUser('remove_project'),
    input: Type.Object({
      permanently_remove: Type.Optional(
        Type.Boolean({ default: false, description: 'Delete a marked project immediately. Requires `full_path`.' }),
      ),
      full_path: Type.Optional(
        Type.String({ description: 'Current full path of the project; required for `permanently_remove`.' }),
      ),
    }),
    success: { status: 202, schema: Accepted },
    errors: [400, 404, 409, 412],
    handler: async (c) => {
      checkUnmodifiedSince(c.request, c.project.updated_at);
      const { permanently_remove: permanently, full_path: fullPath } = c.input;
      await deleteProject(c.deps, c, { permanently, fullPath });
      return { message: '202 Accepted' };
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/restore',
    summary: 'Restore a project that is marked for deletion',
    access: inProjectByUser('remove_project'),
    success: { status: 201, schema: Project },
    errors: [400, 404, 409],
    handler: async (c) => presentProject(c.deps, c.caller, await restoreProject(c.deps, c)),
  }),
  archiving('archive'),
  archiving('unarchive'),
  ...forkRoutes,
  ...starRoutes,
  ...transferRoutes,
  ...storageRoutes,
];
