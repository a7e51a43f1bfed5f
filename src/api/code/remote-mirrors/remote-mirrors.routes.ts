import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { mirrorAdmin } from '../mirror-access.ts';
import { mirrorId, NewRemoteMirror, RemoteMirrorUpdate, UPDATE_NAMES } from './remote-mirrors.inputs.ts';
import { RemoteMirror, RemoteMirrorPublicKey } from './remote-mirrors.responses.ts';
import { presentRemoteMirror } from './remote-mirrors.views.ts';
import {
  createRemoteMirror,
  findRemoteMirror,
  publicKeyOf,
  removeRemoteMirror,
  syncRemoteMirror,
  updateRemoteMirror,
} from './remote-mirrors.writes.ts';

const PATH = '/projects/:id/remote_mirrors';
const see = inProject('admin_project');
const admin = mirrorAdmin('admin_remote_mirror');

export const remoteMirrorRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the push mirrors of a project',
    access: see,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(RemoteMirror) },
    handler: (c) => {
      const query = c.deps.db
        .selectFrom('remote_mirrors')
        .selectAll()
        .where('project_id', '=', c.project.id)
        .orderBy('id');
      return c.page(query, (rows) => rows.map((row) => presentRemoteMirror(c.deps, row)));
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:mirror_id`,
    summary: 'Get a push mirror of a project',
    access: see,
    params: mirrorId,
    success: { status: 200, schema: RemoteMirror },
    errors: [404],
    handler: async ({ deps, project, params }) =>
      presentRemoteMirror(deps, await findRemoteMirror(deps.db, project, params.mirror_id)),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a push mirror of a project',
    description:
      'An enabled push mirror is updated immediately, and then after pushes: at most every five minutes, or every minute with `only_protected_branches`.',
    access: admin,
    input: NewRemoteMirror,
    success: { status: 201, schema: RemoteMirror },
    handler: async (c) => presentRemoteMirror(c.deps, await createRemoteMirror(c.deps, c, c.input)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:mirror_id`,
    summary: 'Update a push mirror of a project',
    access: admin,
    params: mirrorId,
    input: RemoteMirrorUpdate,
    rules: { atLeastOne: [UPDATE_NAMES] },
    success: { status: 200, schema: RemoteMirror },
    errors: [404],
    handler: async (c) => presentRemoteMirror(c.deps, await updateRemoteMirror(c.deps, c, c.params.mirror_id, c.input)),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:mirror_id`,
    summary: 'Delete a push mirror of a project',
    description: 'The remote repository is left unchanged.',
    access: admin,
    params: mirrorId,
    success: { status: 204, empty: true },
    errors: [404],
    handler: (c) => removeRemoteMirror(c.deps, c, c.params.mirror_id),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:mirror_id/sync`,
    operationId: 'syncProjectRemoteMirror',
    summary: 'Start an update of a push mirror',
    description: 'Runs in the background; see `update_status`. 400 if the mirror is disabled.',
    access: admin,
    params: mirrorId,
    success: { status: 204, empty: true },
    errors: [404],
    handler: (c) => syncRemoteMirror(c.deps, c, c.params.mirror_id),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:mirror_id/public_key`,
    summary: 'Get the public key of a push mirror',
    description:
      'Add it to the remote server as a key with write access. 404 if the mirror authenticates with a password.',
    access: see,
    params: mirrorId,
    success: { status: 200, schema: RemoteMirrorPublicKey },
    errors: [404],
    handler: async ({ deps, project, params }) => ({ public_key: await publicKeyOf(deps, project, params.mirror_id) }),
  }),
];
