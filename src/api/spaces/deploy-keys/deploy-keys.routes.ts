import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { administrator, inProject, onServer, requireUser } from '../../api.access.ts';
import { keyChange, newProjectKey, newPublicKey } from './deploy-keys.inputs.ts';
import { allKeys, type KeyInProject, keysOfProject, projectsOfKeys } from './deploy-keys.queries.ts';
import { DeployKey, DeployKeyWithProjects, ProjectDeployKey } from './deploy-keys.responses.ts';
import { presentKey } from './deploy-keys.views.ts';
import { addKey, createPublicKey, enableKey, findKey, removeKey, updateKey } from './deploy-keys.writes.ts';

const keyId = Type.Object({ key_id: Type.Integer({ description: 'Id of the deploy key.' }) });
const LIST = '/projects/:id/deploy_keys';
const ONE = `${LIST}/:key_id`;
const manage = inProject('admin_deploy_keys');

const presentInProject = (key: KeyInProject) => ({ ...presentKey(key), can_push: key.can_push === 1 });

/** SSH keys with access to single projects. */
export const deployKeyRoutes = [
  route({
    method: 'GET',
    path: '/deploy_keys',
    summary: 'List all deploy keys',
    access: administrator,
    input: Type.Object({
      public: Type.Optional(Type.Boolean({ description: 'Only public or only private deploy keys.' })),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(DeployKeyWithProjects) },
    handler: (c) =>
      c.page(allKeys(c.deps.db, c.input.public), async (rows) => {
        const uses = await projectsOfKeys(c.deps.db, pluck(rows, 'id'));
        return rows.map((row) => ({
          ...presentKey(row),
          projects_with_write_access: uses.get(row.id)!.write,
          projects_with_readonly_access: uses.get(row.id)!.read,
        }));
      }),
  }),
  route({
    method: 'POST',
    path: '/deploy_keys',
    summary: 'Create a public deploy key',
    access: onServer('admin_instance_deploy_keys'),
    input: newPublicKey,
    success: { status: 201, schema: DeployKey },
    handler: async ({ deps, caller, input: { key, title, expires_at: expiresAt = null } }) =>
      presentKey(await createPublicKey(deps, caller, { key, title, expiresAt })),
  }),
  route({
    method: 'GET',
    path: LIST,
    summary: 'List the deploy keys of a project',
    access: manage,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ProjectDeployKey) },
    handler: (c) => c.page(keysOfProject(c.deps.db, c.project.id), (rows) => rows.map(presentInProject)),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a deploy key of a project',
    access: manage,
    params: keyId,
    success: { status: 200, schema: ProjectDeployKey },
    handler: async ({ deps, project, params }) => presentInProject(await findKey(deps.db, project.id, params.key_id)),
  }),
  route({
    method: 'POST',
    path: LIST,
    summary: 'Add a deploy key to a project',
    description: 'If the project already has the key, it is returned unchanged.',
    access: manage,
    input: newProjectKey,
    success: { status: 201, schema: ProjectDeployKey },
    handler: async ({ deps, caller, project, input }) => {
      const { key, title, expires_at: expiresAt = null, can_push: canPush = false } = input;
      return presentInProject(await addKey(deps, requireUser(caller), project.id, { key, title, expiresAt, canPush }));
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a deploy key of a project',
    access: manage,
    params: keyId,
    input: keyChange,
    rules: { atLeastOne: [['title', 'can_push']] },
    success: { status: 200, schema: ProjectDeployKey },
    handler: async ({ deps, caller, project, params, input }) => {
      const change = { title: input.title, canPush: input.can_push };
      return presentInProject(await updateKey(deps, requireUser(caller), project.id, params.key_id, change));
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/enable`,
    summary: 'Enable a deploy key for a project',
    access: manage,
    params: keyId,
    success: { status: 201, schema: DeployKey },
    handler: async ({ deps, caller, project, params }) =>
      presentKey(await enableKey(deps, requireUser(caller), project.id, params.key_id)),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Remove a deploy key from a project',
    access: manage,
    params: keyId,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, project, params, request }) => {
      const key = await findKey(deps.db, project.id, params.key_id);
      checkUnmodifiedSince(request, key.created_at);
      await removeKey(deps, project.id, key.id);
    },
  }),
];
