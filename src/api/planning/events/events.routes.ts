import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { anyone, inProject, signedIn } from '../../api.access.ts';
import { userByIdOrName } from '../../identity/index.ts';
import { EMPTY, type FeedPage, type FeedRequest, projectFeed, userFeed } from './events.feed.ts';
import { type EventFilters, eventFilters } from './events.inputs.ts';
import { EventEntity, TARGET_TYPES } from './events.responses.ts';
import { presentEvents } from './events.views.ts';

const success = { status: 200, schema: Type.Array(EventEntity) } as const;
const scopes = ['read_user'];

/** Answers with a list; calls `read` only if there can be entries. */
function answer(c: BaseContext & { input: EventFilters }, read: (asked: FeedRequest) => Promise<FeedPage>) {
  const { action, target_type, before, after, sort = 'desc' } = c.input;
  const targetType = target_type === undefined ? undefined : TARGET_TYPES[target_type];
  // The given days themselves are excluded.
  const since = after === undefined ? undefined : `${after}T23:59:59.999Z`;
  const until = before === undefined ? undefined : `${before}T00:00:00.000Z`;
  const { caller, deps, signal } = c;
  return c.page(
    (page) =>
      targetType === null
        ? EMPTY
        : read({ caller, filters: { action, targetType, since, until, direction: sort }, page, signal }),
    (events) => presentEvents(deps, events),
  );
}

const HIDDEN_STATES: readonly User['state'][] = ['blocked', 'ldap_blocked', 'banned', 'blocked_pending_approval'];

/** Whether the caller may see the activity of a user; that of private and blocked users is hidden. */
const isOpen = (caller: Caller, user: User): boolean =>
  caller.admin || caller.user?.id === user.id || (user.private_profile === 0 && !HIDDEN_STATES.includes(user.state));

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/events',
    summary: 'List the events of the caller',
    access: signedIn,
    scopes,
    input: Type.Object({
      ...eventFilters,
      scope: Type.Optional(
        Type.String({ description: '`all`: events of all users in the projects that the caller is a member of.' }),
      ),
    }),
    success,
    handler: (c) =>
      answer(c, (asked) => userFeed(c.deps, c.input.scope === 'all' ? undefined : c.caller.user.id, asked)),
  }),
  route({
    method: 'GET',
    path: '/users/:id/events',
    summary: 'List the events of a user',
    access: anyone,
    scopes,
    params: Type.Object({ id: Type.String({ description: 'Id or user name.' }) }),
    input: Type.Object(eventFilters),
    success,
    errors: [404],
    handler: async (c) => {
      const user = await userByIdOrName(c.deps.db, c.params.id);
      return answer(c, async (asked) => (isOpen(c.caller, user) ? userFeed(c.deps, user.id, asked) : EMPTY));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/events',
    summary: 'List the events of a project',
    access: inProject('read_project', { anonymous: true }),
    scopes,
    input: Type.Object(eventFilters),
    success,
    handler: (c) => answer(c, (asked) => projectFeed(c.deps, c.project.id, c.permissions, asked)),
  }),
];
