import { Type } from 'typebox';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { UserBasic, userBasic } from '../../identity/index.ts';
import { onIssuable } from './issuables.access.ts';
import type { IssuableKind, IssuableRow } from './issuables.kind.ts';
import { setSubscribed } from './issuables.subscriptions.ts';
import { participantsOf } from './participants.ts';

/** Endpoints for subscriptions and participants. */
export function peopleRoutes<Row extends IssuableRow>(kind: IssuableKind<Row>): Route[] {
  const path = `/projects/:id/${kind.table}/:${kind.param}`;
  const params = Type.Object({ [kind.param]: Type.Integer() });
  const subscribing = (action: 'subscribe' | 'unsubscribe') =>
    route({
      method: 'POST',
      path: `${path}/${action}`,
      summary: action === 'subscribe' ? `Subscribe to ${kind.noun}` : `Unsubscribe from ${kind.noun}`,
      description: 'Answers 304 if nothing changes.',
      access: onIssuable(kind, kind.follow),
      success: { status: 201, schema: kind.schema },
      errors: [304, 404],
      handler: async (c) => {
        const { row } = c;
        const changed = await setSubscribed(c.deps, kind.type, row, c.caller.user.id, action === 'subscribe');
        return changed ? kind.present(c.deps, c, row) : c.reply.code(304).send();
      },
    });
  return [
    subscribing('subscribe'),
    subscribing('unsubscribe'),
    route({
      method: 'GET',
      path: `${path}/participants`,
      summary: `List the participants of ${kind.noun}`,
      access: inProject(kind.read, { anonymous: true }),
      params,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(UserBasic) },
      errors: [404],
      handler: async (c) => {
        const row = await kind.find(c.deps, c, c.params[kind.param]!);
        const internal = c.permissions.can('read_internal_note');
        const query = participantsOf(c.deps.db, kind.type, row, internal);
        return c.page(query, (rows) => rows.map((user) => userBasic(c.deps, user)));
      },
    }),
  ];
}
