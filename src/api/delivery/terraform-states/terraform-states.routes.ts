import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { TerraformStateVersion } from '../../../db/tables/terraform-state-versions.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { optional } from '../../../http/http.schema.ts';
import { blobSuccess, sendBlob } from '../../../http/send-blob.ts';
import { inProject, type ProjectScope } from '../../api.access.ts';
import { maxStateBytes, receiveState } from './terraform-states.content.ts';
import { TERRAFORM_TOKENS } from './terraform-states.credentials.ts';
import { findState, findVersion } from './terraform-states.find.ts';
import { LockInfo } from './terraform-states.lock.ts';
import {
  lockState,
  removeState,
  removeVersion,
  type StateWriter,
  unlockState,
  writeVersion,
} from './terraform-states.writes.ts';

const path = '/projects/:id/terraform/state/:name';
const name = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^/]+$' });
const shared = { tag: 'Terraform states', credentials: TERRAFORM_TOKENS, params: Type.Object({ name }) } as const;
const ofVersion = {
  ...shared,
  path: `${path}/versions/:serial`,
  params: Type.Object({ name, serial: Type.Integer({ minimum: 0 }) }),
} as const;
const reads = inProject('read_terraform_state');
const writes = inProject('admin_terraform_state');

const writerOf = ({
  caller,
  project,
  params,
}: BaseContext & ProjectScope & { params: { name: string } }): StateWriter => ({
  caller,
  projectId: project.id,
  name: params.name,
});

const sendVersion = (c: BaseContext & { params: { name: string } }, version: TerraformStateVersion, ranged: boolean) =>
  sendBlob(c, version, `${c.params.name}-${version.serial}.tfstate`, 'application/json', ranged);

/** Terraform states: the protocol of Terraform's HTTP backend. */
export const terraformStateRoutes = [
  route({
    ...shared,
    method: 'GET',
    path,
    operationId: 'getTerraformState',
    summary: 'Get a Terraform state',
    description: 'The version with the highest serial; 204 if the state is locked and was never written.',
    access: reads,
    success: { status: 200, contentType: 'application/json', description: 'The state as it was written.' },
    otherSuccess: { status: 204, empty: true },
    errors: [404],
    handler: async (c) => {
      const state = await findState(c.deps.db, c.project.id, c.params.name);
      const version = await findVersion(c.deps.db, state.id);
      if (version !== undefined) return sendVersion(c, version, false);
      c.reply.code(204).send();
      return undefined;
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path,
    operationId: 'writeTerraformState',
    summary: 'Write a Terraform state',
    description: 'The serial must be unique. A locked state can be written only by the holder of the lock.',
    access: writes,
    input: optional({ ID: Type.String({ maxLength: 4_096, description: 'Id of the lock held by the client.' }) }),
    body: {
      contentType: 'application/json',
      description: 'The state; clients may send its digest in `Content-MD5`.',
      limit: ({ deps }) => maxStateBytes(deps),
    },
    success: { status: 200, empty: true },
    otherSuccess: { status: 204, empty: true },
    errors: [400, 404, 409, 413, 422],
    handler: async (c) => {
      const md5 = c.request.headers['content-md5'];
      const state = await receiveState(c.deps, c.bytes, typeof md5 === 'string' ? md5 : undefined);
      if (state === undefined) return void c.reply.code(204);
      await writeVersion(c.deps, writerOf(c), state, c.input.ID);
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path,
    operationId: 'deleteTerraformState',
    summary: 'Delete a Terraform state and all its versions',
    access: writes,
    success: { status: 200, empty: true },
    errors: [404, 409],
    handler: async (c) => removeState(c.deps, writerOf(c)),
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${path}/lock`,
    operationId: 'lockTerraformState',
    summary: 'Lock a Terraform state',
    description: 'Creates the state if it does not exist. If it is locked, the response contains the current lock.',
    access: writes,
    input: LockInfo,
    success: { status: 200, schema: LockInfo },
    errors: [400, 404, 409],
    handler: async (c) => lockState(c.deps, writerOf(c), c.input),
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: `${path}/lock`,
    operationId: 'unlockTerraformState',
    summary: 'Unlock a Terraform state',
    description: 'Without the lock id, the lock is removed whoever holds it.',
    access: writes,
    input: optional({ ID: Type.String({ maxLength: 4_096, description: 'Id of the lock.' }) }),
    success: { status: 200, empty: true },
    errors: [404, 409],
    handler: async (c) => unlockState(c.deps, writerOf(c), c.input.ID),
  }),
  route({
    ...ofVersion,
    ...blobSuccess('application/json', 'The state as it was written.'),
    method: 'GET',
    operationId: 'getTerraformStateVersion',
    summary: 'Get a version of a Terraform state',
    access: reads,
    errors: [404],
    handler: async (c) => {
      const state = await findState(c.deps.db, c.project.id, c.params.name);
      const version = await findVersion(c.deps.db, state.id, c.params.serial);
      if (version === undefined) throw notFound();
      return sendVersion(c, version, true);
    },
  }),
  route({
    ...ofVersion,
    method: 'DELETE',
    operationId: 'deleteTerraformStateVersion',
    summary: 'Delete a version of a Terraform state',
    access: writes,
    success: { status: 204, empty: true },
    errors: [404, 409],
    handler: async (c) => removeVersion(c.deps, writerOf(c), c.params.serial),
  }),
];
