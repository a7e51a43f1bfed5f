import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { UserBasic, userBasic } from './users.basic.ts';
import { userById } from './users.find.ts';
import { follow, followsOf, unfollow } from './users.follows.ts';
import { userId } from './users.inputs.ts';

/** Allows private profiles to their user and to administrators only. @throws ApiError 404 */
function requireProfile({ user, admin }: Caller, shown: User): void {
  if (shown.private_profile === 1 && !admin && user?.id !== shown.id) throw notFound('User');
}

const following = (action: 'follow' | 'unfollow') =>
  route({
    method: 'POST',
    path: `/users/:id/${action}`,
    summary: action === 'follow' ? 'Follow a user' : 'Unfollow a user',
    description: `Answers 304 if ${action === 'follow' ? 'the caller already follows the user, or is the user' : 'the caller does not follow the user'}.`,
    access: onServer('follow_user'),
    params: userId,
    success: { status: 201, schema: UserBasic },
    errors: action === 'follow' ? [304, 400, 404] : [304, 404],
    handler: async ({ deps, caller, params, reply }) => {
      const user = await userById(deps.db, params.id);
      const changed =
        action === 'follow' ? await follow(deps, caller.user, user) : await unfollow(deps, caller.user.id, user.id);
      return changed ? userBasic(deps, user) : reply.code(304).send();
    },
  });

const listing = (which: 'followers' | 'following') =>
  route({
    method: 'GET',
    path: `/users/:id/${which}`,
    limit: { setting: `users_api_limit_${which}`, periodSeconds: 60 },
    summary: which === 'followers' ? 'List the followers of a user' : 'List the users that a user follows',
    description: 'For private profiles only the user and administrators see the list.',
    access: signedIn,
    scopes: ['read_user'],
    params: userId,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(UserBasic) },
    errors: [404],
    handler: async (c) => {
      const user = await userById(c.deps.db, c.params.id);
      requireProfile(c.caller, user);
      return c.page(followsOf(c.deps.db, user.id, which), (rows) => rows.map((row) => userBasic(c.deps, row)));
    },
  });

/** Followers of users. */
export const userFollowRoutes = [
  following('follow'),
  following('unfollow'),
  listing('followers'),
  listing('following'),
];
