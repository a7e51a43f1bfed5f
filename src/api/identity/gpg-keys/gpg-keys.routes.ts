import { Type } from 'typebox';
import type { GpgKey } from '../../../db/tables/gpg-keys.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { anyone, onServer, signedIn } from '../../api.access.ts';
import { userById } from '../users/users.find.ts';
import { addGpgKey, gpgKeyOf, removeGpgKey } from './gpg-keys.writes.ts';

const GpgKeyEntity = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'Armoured public key.' }),
  created_at: Instant(),
});
const present = ({ id, key, created_at }: GpgKey) => ({ id, key, created_at });

const newKey = Type.Object({
  key: Filled({ description: 'Armoured public key, as `gpg --armor --export` prints it.' }),
});
const ownKey = Type.Object({ key_id: Type.Integer({ description: 'Id of the key.' }) });
const ofUser = Type.Object({ id: Type.Integer({ description: 'Id of the user.' }) });
const ofUsersKey = Type.Object({ ...ofUser.properties, ...ownKey.properties });
const REVOKING = 'Removes the key; commits that it signed become unverified.';

function list(c: BaseContext, userId: number) {
  const query = c.deps.db.selectFrom('gpg_keys').selectAll().where('user_id', '=', userId).orderBy('id');
  return c.page(query, (rows) => rows.map(present));
}

async function remove({ deps, request }: BaseContext, userId: number, keyId: number) {
  const key = await gpgKeyOf(deps.db, userId, keyId);
  checkUnmodifiedSince(request, key.created_at);
  await removeGpgKey(deps, key);
}

const ownRoutes = [
  route({
    method: 'GET',
    path: '/user/gpg_keys',
    summary: "List the caller's GPG keys",
    access: signedIn,
    scopes: ['read_user'],
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(GpgKeyEntity) },
    handler: (c) => list(c, c.caller.user.id),
  }),
  route({
    method: 'GET',
    path: '/user/gpg_keys/:key_id',
    summary: "Get one of the caller's GPG keys",
    access: signedIn,
    scopes: ['read_user'],
    params: ownKey,
    success: { status: 200, schema: GpgKeyEntity },
    errors: [404],
    handler: async (c) => present(await gpgKeyOf(c.deps.db, c.caller.user.id, c.params.key_id)),
  }),
  route({
    method: 'POST',
    path: '/user/gpg_keys',
    summary: 'Add a GPG key',
    access: onServer('create_own_key'),
    input: newKey,
    success: { status: 201, schema: GpgKeyEntity },
    handler: async (c) => present(await addGpgKey(c.deps, c.caller.user.id, c.input.key)),
  }),
  route({
    method: 'POST',
    path: '/user/gpg_keys/:key_id/revoke',
    summary: "Revoke one of the caller's GPG keys",
    description: REVOKING,
    access: onServer('remove_own_key'),
    params: ownKey,
    success: { status: 202, empty: true },
    errors: [404],
    handler: async (c) => removeGpgKey(c.deps, await gpgKeyOf(c.deps.db, c.caller.user.id, c.params.key_id)),
  }),
  route({
    method: 'DELETE',
    path: '/user/gpg_keys/:key_id',
    summary: "Remove one of the caller's GPG keys",
    access: onServer('remove_own_key'),
    params: ownKey,
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: (c) => remove(c, c.caller.user.id, c.params.key_id),
  }),
];

/** GPG keys of users; everyone may read them. */
export const gpgKeyRoutes = [
  ...ownRoutes,
  route({
    method: 'GET',
    path: '/users/:id/gpg_keys',
    limit: { setting: 'users_api_limit_gpg_keys', periodSeconds: 60 },
    summary: "List a user's GPG keys",
    access: anyone,
    scopes: ['read_user'],
    params: ofUser,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(GpgKeyEntity) },
    errors: [404],
    handler: async (c) => list(c, (await userById(c.deps.db, c.params.id)).id),
  }),
  route({
    method: 'GET',
    path: '/users/:id/gpg_keys/:key_id',
    limit: { setting: 'users_api_limit_gpg_key', periodSeconds: 60 },
    summary: "Get a user's GPG key",
    access: anyone,
    scopes: ['read_user'],
    params: ofUsersKey,
    success: { status: 200, schema: GpgKeyEntity },
    errors: [404],
    handler: async ({ deps: { db }, params }) =>
      present(await gpgKeyOf(db, (await userById(db, params.id)).id, params.key_id)),
  }),
  route({
    method: 'POST',
    path: '/users/:id/gpg_keys',
    summary: 'Add a GPG key to a user',
    access: onServer('admin_users'),
    params: ofUser,
    input: newKey,
    success: { status: 201, schema: GpgKeyEntity },
    errors: [404],
    handler: async ({ deps, params, input }) =>
      present(await addGpgKey(deps, (await userById(deps.db, params.id)).id, input.key)),
  }),
  route({
    method: 'POST',
    path: '/users/:id/gpg_keys/:key_id/revoke',
    summary: "Revoke a user's GPG key",
    description: REVOKING,
    access: onServer('admin_users'),
    params: ofUsersKey,
    success: { status: 202, empty: true },
    errors: [404],
    handler: async ({ deps, params }) =>
      removeGpgKey(deps, await gpgKeyOf(deps.db, (await userById(deps.db, params.id)).id, params.key_id)),
  }),
  route({
    method: 'DELETE',
    path: '/users/:id/gpg_keys/:key_id',
    summary: "Remove a user's GPG key",
    access: onServer('admin_users'),
    params: ofUsersKey,
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async (c) => remove(c, (await userById(c.deps.db, c.params.id)).id, c.params.key_id),
  }),
];
