import { Type } from 'typebox';
import { isTokenBot } from '../../../access/caller.ts';
import { badRequest } from '../../../core/core.errors.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Enum, Filled, Instant, Nullable, pagination } from '../../../http/http.schema.ts';
import { anyone, onServer, signedIn } from '../../api.access.ts';
import { userById, userByIdOrName } from '../users/users.find.ts';
import { SshKeyEntity, USAGE_TYPES } from './ssh-keys.responses.ts';
import { presentSshKey } from './ssh-keys.views.ts';
import { addSshKey, removeSshKey, sshKeyOf } from './ssh-keys.writes.ts';

const newKey = Type.Object({
  title: Filled({ maxLength: 255 }),
  key: Filled(),
  expires_at: Type.Optional(Nullable(Instant())),
  usage_type: Type.Optional(Enum(USAGE_TYPES)),
});
const ownKey = Type.Object({ key_id: Type.Integer() });
const anyUser = Type.Object({ user_id: Type.String({ description: 'Id or user name.' }) });
const ofUser = Type.Object({ user_id: Type.Integer({ description: 'Id of the user.' }) });

function list(c: BaseContext, userId: number) {
  const query = c.deps.db.selectFrom('ssh_keys').selectAll().where('user_id', '=', userId).orderBy('id');
  return c.page(query, (rows) => rows.map(presentSshKey));
}

/** SSH keys of users; everyone may read them. */
export const sshKeyRoutes = [
  route({
    method: 'GET',
    path: '/user/keys',
    summary: "List the caller's SSH keys",
    access: signedIn,
    scopes: ['read_user'],
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(SshKeyEntity) },
    handler: (context) => list(context, context.caller.user.id),
  }),
  route({
    method: 'GET',
    path: '/user/keys/:key_id',
    summary: "Get one of the caller's SSH keys",
    access: signedIn,
    scopes: ['read_user'],
    params: ownKey,
    success: { status: 200, schema: SshKeyEntity },
    errors: [404],
    handler: async ({ deps, caller, params }) => presentSshKey(await sshKeyOf(deps.db, caller.user.id, params.key_id)),
  }),
  route({
    method: 'POST',
    path: '/user/keys',
    summary: 'Add an SSH key',
    access: onServer('create_own_key'),
    input: newKey,
    success: { status: 201, schema: SshKeyEntity },
    errors: [400],
    handler: async ({ deps, caller, input }) =>
      presentSshKey(await addSshKey(deps, wanted(caller.user.id, input), caller.user.id)),
  }),
  route({
    method: 'DELETE',
    path: '/user/keys/:key_id',
    summary: "Remove one of the caller's SSH keys",
    access: onServer('remove_own_key'),
    params: ownKey,
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async ({ deps, caller, params, request }) => {
      const key = await sshKeyOf(deps.db, caller.user.id, params.key_id);
      checkUnmodifiedSince(request, key.created_at);
      await removeSshKey(deps, key, caller.user.id);
    },
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/keys',
    limit: { setting: 'users_api_limit_ssh_keys', periodSeconds: 60 },
    summary: "List a user's SSH keys",
    access: anyone,
    scopes: ['read_user'],
    params: anyUser,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(SshKeyEntity) },
    errors: [404],
    handler: async (context) => list(context, (await userByIdOrName(context.deps.db, context.params.user_id)).id),
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/keys/:key_id',
    limit: { setting: 'users_api_limit_ssh_key', periodSeconds: 60 },
    summary: "Get a user's SSH key",
    access: anyone,
    scopes: ['read_user'],
    params: Type.Object({ ...anyUser.properties, ...ownKey.properties }),
    success: { status: 200, schema: SshKeyEntity },
    errors: [404],
    handler: async ({ deps, params }) => {
      const user = await userByIdOrName(deps.db, params.user_id);
      return presentSshKey(await sshKeyOf(deps.db, user.id, params.key_id));
    },
  }),
  route({
    method: 'POST',
    path: '/users/:user_id/keys',
    summary: 'Add an SSH key to a user',
    access: onServer('admin_users'),
    params: ofUser,
    input: newKey,
    success: { status: 201, schema: SshKeyEntity },
    errors: [400, 404],
    handler: async ({ deps, caller, params, input }) => {
      const user = await userById(deps.db, params.user_id);
      if (user.kind === 'ghost' || isTokenBot(user)) throw badRequest();
      return presentSshKey(await addSshKey(deps, wanted(user.id, input), caller.user.id));
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:user_id/keys/:key_id',
    summary: "Remove a user's SSH key",
    access: onServer('admin_users'),
    params: Type.Object({ ...ofUser.properties, ...ownKey.properties }),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async ({ deps, caller, params, request }) => {
      const user = await userById(deps.db, params.user_id);
      const key = await sshKeyOf(deps.db, user.id, params.key_id);
      checkUnmodifiedSince(request, key.created_at);
      await removeSshKey(deps, key, caller.user.id);
    },
  }),
];

interface KeyInput {
  title: string;
  key: string;
  expires_at?: string | null;
  usage_type?: (typeof USAGE_TYPES)[number];
}

const wanted = (userId: number, input: KeyInput) => ({
  userId,
  title: input.title,
  key: input.key,
  expiresAt: input.expires_at ?? null,
  usageType: input.usage_type ?? ('auth_and_signing' as const),
});
