import { Type } from 'typebox';
import { badRequest, notFound } from '../../../core/core.errors.ts';
import type { DeployKey } from '../../../db/tables/deploy-keys.table.ts';
import type { SshKey } from '../../../db/tables/ssh-keys.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { Filled } from '../../../http/http.schema.ts';
import { administrator } from '../../api.access.ts';
import { userById } from '../users/users.find.ts';
import { presentSelf } from '../users/users.views.ts';
import { SshKeyWithUser } from './ssh-keys.responses.ts';
import { presentSshKey } from './ssh-keys.views.ts';
import { readFingerprint } from './ssh-keys.writes.ts';

async function withUser(deps: Deps, key: SshKey) {
  return { ...presentSshKey(key), user: await presentSelf(deps, await userById(deps.db, key.user_id)) };
}

async function withProjects({ db }: Deps, key: DeployKey) {
  const rows = await db.selectFrom('deploy_key_projects').selectAll().where('deploy_key_id', '=', key.id).execute();
  return {
    id: key.id,
    title: key.title,
    created_at: key.created_at,
    expires_at: key.expires_at,
    last_used_at: key.last_used_at,
    key: key.key,
    usage_type: 'auth',
    user: null,
    deploy_keys_projects: rows.map(({ deploy_key_id, project_id, created_at, can_push }) => ({
      id: project_id,
      deploy_key_id,
      project_id,
      created_at,
      updated_at: created_at,
      can_push: can_push === 1,
    })),
  };
}

/** Look-up of the owner of a key, for administrators. */
export const keyLookupRoutes = [
  route({
    method: 'GET',
    path: '/keys',
    summary: 'Find a key by its fingerprint',
    access: administrator,
    input: Type.Object({
      fingerprint: Filled({
        description: 'Fingerprint: SHA256 (`SHA256:...`) or MD5 (pairs of hex digits, separated by colons).',
      }),
    }),
    success: { status: 200, schema: SshKeyWithUser },
    errors: [400, 404],
    handler: async ({ deps, input }) => {
      const fingerprint = readFingerprint(input.fingerprint);
      if (fingerprint === undefined) throw badRequest('Failed to return the key');
      const column = fingerprint.kind === 'sha256' ? 'fingerprint' : 'md5_fingerprint';
      const key = await deps.db
        .selectFrom('ssh_keys')
        .selectAll()
        .where(column, '=', fingerprint.value)
        .executeTakeFirst();
      if (key !== undefined) return withUser(deps, key);
      const deployKeys = deps.db.selectFrom('deploy_keys').selectAll();
      const deployKey = await deployKeys.where(column, '=', fingerprint.value).executeTakeFirst();
      if (deployKey === undefined) throw notFound('Key');
      return withProjects(deps, deployKey);
    },
  }),
  route({
    method: 'GET',
    path: '/keys/:id',
    summary: 'Get a key with its user',
    access: administrator,
    params: Type.Object({ id: Type.Integer() }),
    success: { status: 200, schema: SshKeyWithUser },
    errors: [404],
    handler: async ({ deps, params }) => {
      const key = await deps.db.selectFrom('ssh_keys').selectAll().where('id', '=', params.id).executeTakeFirst();
      if (key === undefined) throw notFound('Key');
      return withUser(deps, key);
    },
  }),
];
