import { Type } from 'typebox';
import { pageOf } from '../../../db/paginate.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
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
    handler: async ({ deps, project, page, request, reply }) => {
      const query = deps.db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', project.id).orderBy('id');
      const { rows, total } = await pageOf(deps.db, query, page);
      setPageHeaders(deps.externalUrl(), request, reply, page, { total });
      return rows.map((row) => presentRemoteMirror(deps, row));
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
    summary: 'Set up a push mirror of a project',
    description:
      'One that is on gets what the project has at once, and then what is pushed to it: every five minutes at most, every minute where only protected branches are concerned.',
    access: admin,
    input: NewRemoteMirror,
    success: { status: 201, schema: RemoteMirror },
    handler: async (c) => presentRemoteMirror(c.deps, await createRemoteMirror(c.deps, c, c.input)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:mirror_id`,
    summary: 'Change a push mirror of a project',
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
    summary: 'Remove a push mirror of a project',
    description: 'The remote repository stays as it is.',
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
    description:
      'It is done in the background; `update_status` tells how far it is. 400 where the mirror is switched off.',
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
      'What to enter at the remote server as a key that may push. 404 where the mirror signs in with a password.',
    access: see,
    params: mirrorId,
    success: { status: 200, schema: RemoteMirrorPublicKey },
    errors: [404],
    handler: async ({ deps, project, params }) => ({ public_key: await publicKeyOf(deps, project, params.mirror_id) }),
  }),
];
