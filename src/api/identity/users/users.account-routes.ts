import { Type } from 'typebox';
import { today } from '../../../core/clock.ts';
import { badRequest, forbidden } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { Day, Nullable, pagination } from '../../../http/http.schema.ts';
import { administrator, onServer, signedIn } from '../../api.access.ts';
import { associationsOf } from './users.counts.ts';
import { userById } from './users.find.ts';
import { userId } from './users.inputs.ts';

const DAY_MS = 86_400_000;
/** Default period of the list of activities: half a year, in days. */
const ACTIVE_DAYS = 183;

/** Counts, activity and two-factor authentication of users. */
export const userAccountRoutes = [
  route({
    method: 'GET',
    path: '/users/:id/associations_count',
    summary: 'Count the groups, projects, issues and merge requests of a user',
    description:
      'Counts direct memberships, and issues and merge requests by the user. Only for the user and administrators.',
    access: signedIn,
    scopes: ['read_user'],
    params: userId,
    success: {
      status: 200,
      schema: Type.Object({
        groups_count: Type.Integer(),
        projects_count: Type.Integer(),
        issues_count: Type.Integer(),
        merge_requests_count: Type.Integer(),
      }),
    },
    errors: [403, 404],
    handler: async ({ deps, caller, params }) => {
      const user = await userById(deps.db, params.id);
      if (!caller.admin && caller.user.id !== user.id) throw forbidden();
      return associationsOf(deps, user.id);
    },
  }),
  route({
    method: 'GET',
    path: '/user/activities',
    summary: 'List the last day of activity of each user',
    access: administrator,
    scopes: ['read_user'],
    input: Type.Object({
      from: Type.Optional(
        Day({ description: 'Only users who were active on that day or later; defaults to six months ago.' }),
      ),
      ...pagination,
    }),
    success: {
      status: 200,
      schema: Type.Array(
        Type.Object({
          username: Type.String(),
          last_activity_on: Nullable(Day()),
          last_activity_at: Nullable(Day({ description: 'Old name of `last_activity_on`.' })),
        }),
      ),
    },
    handler: (c) => {
      const half = new Date(c.deps.clock.now().getTime() - ACTIVE_DAYS * DAY_MS).toISOString().slice(0, 10);
      const query = c.deps.db
        .selectFrom('users')
        .select(['username', 'last_activity_on'])
        .where('last_activity_on', '>=', c.input.from ?? half)
        .where('last_activity_on', '<=', today(c.deps.clock))
        .orderBy('last_activity_on')
        .orderBy('id');
      return c.page(query, (rows) =>
        rows.map(({ username, last_activity_on }) => ({
          username,
          last_activity_on,
          last_activity_at: last_activity_on,
        })),
      );
    },
  }),
  route({
    method: 'PATCH',
    path: '/users/:id/disable_two_factor',
    summary: 'Disable two-factor authentication of a user',
    description: 'Refused for administrators. No user of this server has a second factor, so the request always fails.',
    access: onServer('admin_users'),
    params: userId,
    success: { status: 204, empty: true },
    errors: [400, 403, 404],
    handler: async ({ deps, params }) => {
      const user = await userById(deps.db, params.id);
      if (user.admin === 1)
        throw forbidden('Two-factor authentication of administrators cannot be disabled by the API');
      throw badRequest('Two-factor authentication is not enabled for this user');
    },
  }),
];
