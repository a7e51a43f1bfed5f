import { Type } from 'typebox';
import { forbidden } from '../../../core/core.errors.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { Nullable, Upload } from '../../../http/http.schema.ts';
import { anyone, onServer, signedIn } from '../../api.access.ts';
import { UserBasic, userAvatarUrl, userBasic } from './users.basic.ts';
import { destroyUser } from './users.destroy.ts';
import { userById } from './users.find.ts';
import { removeIdentity } from './users.identities.ts';
import { changedUser, listUsers, newUser, userId } from './users.inputs.ts';
import { listOfUsers } from './users.list.ts';
import { UserProfile, UserPublic, UserWithAdmin } from './users.responses.ts';
import { presentForAdmin, presentForOther, presentOneForAdmin, presentSelf } from './users.views.ts';
import { createUser, setPicture, updateUser } from './users.writes.ts';

/** Rate limit of look-ups of users per ten minutes, against enumeration of users by id. */
function limitLookUps({ limiter, settings }: Deps, { id, username }: User): void {
  const { users_get_by_id_limit: requests, users_get_by_id_limit_allowlist_raw: allowed } = settings.now;
  if ((allowed ?? '').split(/\s+/).includes(username)) return;
  limiter.check('users_get_by_id', String(id), { requests, periodSeconds: 600 });
}

export const userRoutes = [
  route({
    method: 'GET',
    path: '/user',
    summary: 'Get the current user',
    access: signedIn,
    scopes: ['read_user'],
    success: { status: 200, schema: Type.Union([UserWithAdmin, UserPublic]) },
    handler: ({ deps, caller }) =>
      caller.admin ? presentOneForAdmin(deps, caller.user) : presentSelf(deps, caller.user),
  }),
  route({
    method: 'PUT',
    path: '/user/avatar',
    summary: "Set the caller's avatar",
    access: onServer('update_own_account'),
    input: Type.Object({ avatar: Upload({ description: 'An empty string removes the avatar.' }) }),
    success: { status: 200, schema: Type.Object({ avatar_url: Nullable(Type.String()) }) },
    errors: [400],
    handler: async ({ deps, caller, input }) => ({
      avatar_url: userAvatarUrl(deps, await setPicture(deps, caller.user, input.avatar)),
    }),
  }),
  route({
    method: 'GET',
    path: '/users',
    summary: 'List users',
    description:
      'Anonymous callers must give `username`. Only administrators see all fields and can use all filters and orders.',
    access: anyone,
    scopes: ['read_user'],
    input: listUsers,
    success: { status: 200, schema: Type.Array(Type.Union([UserWithAdmin, UserBasic])) },
    errors: [400, 403, 405, 429],
    handler: (c) => {
      const { deps, caller, input } = c;
      const options = { withCustomAttributes: input.with_custom_attributes, viewer: caller.user! };
      return c.page(listOfUsers(deps, caller, input), (rows) =>
        caller.admin ? presentForAdmin(deps, rows, options) : rows.map((user) => userBasic(deps, user)),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/users/:id',
    summary: 'Get a user',
    access: anyone,
    scopes: ['read_user'],
    params: userId,
    input: Type.Object({ with_custom_attributes: Type.Optional(Type.Boolean()) }),
    success: { status: 200, schema: Type.Union([UserWithAdmin, UserProfile]) },
    errors: [403, 404, 429],
    handler: async ({ deps, caller, params, input }) => {
      if (caller.user === null) throw forbidden('Not authorized!');
      if (!caller.admin) limitLookUps(deps, caller.user);
      const user = await userById(deps.db, params.id);
      if (!caller.admin) return presentForOther(deps, caller, user);
      const options = { withCustomAttributes: input.with_custom_attributes, viewer: caller.user };
      return presentOneForAdmin(deps, user, options);
    },
  }),
  route({
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    description: 'The address of the new account counts as confirmed.',
    access: onServer('admin_users'),
    input: newUser,
    rules: { atLeastOne: [['password', 'reset_password', 'force_random_password']] },
    success: { status: 201, schema: UserWithAdmin },
    errors: [400, 409],
    handler: async ({ deps, caller, input }) => presentOneForAdmin(deps, await createUser(deps, caller, input)),
  }),
  route({
    method: 'PUT',
    path: '/users/:id',
    summary: 'Change a user',
    access: onServer('admin_users'),
    params: userId,
    input: changedUser,
    success: { status: 200, schema: UserWithAdmin },
    errors: [400, 404, 409],
    handler: async ({ deps, caller, params, input }) =>
      presentOneForAdmin(deps, await updateUser(deps, caller, params.id, input)),
  }),
  route({
    method: 'DELETE',
    path: '/users/:id/identities/:provider',
    summary: "Delete a user's identity at a provider",
    access: onServer('admin_users'),
    params: Type.Object({
      ...userId.properties,
      provider: Type.String({ description: 'Name of the identity provider.' }),
    }),
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, params }) => {
      const { id } = await userById(deps.db, params.id);
      await removeIdentity(deps, id, params.provider);
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:id',
    summary: 'Delete a user',
    description:
      "`hard_delete` also deletes the user's issues, merge requests, comments, snippets and solely owned groups; otherwise the ghost user keeps them.",
    access: onServer('admin_users'),
    params: userId,
    input: Type.Object({ hard_delete: Type.Optional(Type.Boolean()) }),
    success: { status: 204, empty: true },
    errors: [403, 404, 409, 412],
    handler: async ({ deps, caller, params, input, request }) => {
      const user = await userById(deps.db, params.id);
      checkUnmodifiedSince(request, user.updated_at);
      await destroyUser(deps, caller.user, user, input.hard_delete === true);
    },
  }),
];
