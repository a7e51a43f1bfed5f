import { Type } from 'typebox';
import { timestamp } from '../../../core/clock.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { anyone, onServer } from '../../api.access.ts';
import { ChangedBroadcastMessage, NewBroadcastMessage } from './broadcast-messages.inputs.ts';
import { findMessage } from './broadcast-messages.queries.ts';
import { BroadcastMessage } from './broadcast-messages.responses.ts';
import { presentMessage } from './broadcast-messages.views.ts';
import { createMessage, removeMessage, updateMessage } from './broadcast-messages.writes.ts';

const params = Type.Object({ id: Type.Integer() });
const access = onServer('admin_broadcast_messages');

/** Broadcast messages of administrators (part 2, section 4.5). */
export const broadcastMessageRoutes = [
  route({
    method: 'GET',
    path: '/broadcast_messages',
    summary: 'List broadcast messages',
    description: 'Newest first. Every caller sees all messages, whatever their target.',
    access: anyone,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(BroadcastMessage) },
    handler: (c) => {
      const query = c.deps.db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc');
      return c.page(query, (rows) => {
        const now = timestamp(c.deps.clock);
        return rows.map((row) => presentMessage(row, now));
      });
    },
  }),
  route({
    method: 'GET',
    path: '/broadcast_messages/:id',
    summary: 'Get a broadcast message',
    access: anyone,
    params,
    success: { status: 200, schema: BroadcastMessage },
    errors: [404],
    handler: async ({ deps, params: { id } }) => presentMessage(await findMessage(deps, id), timestamp(deps.clock)),
  }),
  route({
    method: 'POST',
    path: '/broadcast_messages',
    summary: 'Create a broadcast message',
    description: 'Banners are also shown to users who push.',
    access,
    input: NewBroadcastMessage,
    success: { status: 201, schema: BroadcastMessage },
    errors: [400],
    handler: async ({ deps, input }) => presentMessage(await createMessage(deps, input), timestamp(deps.clock)),
  }),
  route({
    method: 'PUT',
    path: '/broadcast_messages/:id',
    summary: 'Update a broadcast message',
    access,
    params,
    input: ChangedBroadcastMessage,
    success: { status: 200, schema: BroadcastMessage },
    errors: [400, 404],
    handler: async ({ deps, params: { id }, input }) =>
      presentMessage(await updateMessage(deps, id, input), timestamp(deps.clock)),
  }),
  route({
    method: 'DELETE',
    path: '/broadcast_messages/:id',
    summary: 'Delete a broadcast message',
    access,
    params,
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async ({ deps, params: { id }, request }) => {
      checkUnmodifiedSince(request, (await findMessage(deps, id)).updated_at);
      await removeMessage(deps, id);
    },
  }),
];
