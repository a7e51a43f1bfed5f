import { Type } from 'typebox';
import { timestamp } from '../../../core/clock.ts';
import type { Email } from '../../../db/tables/emails.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Filled, Instant, Nullable, pagination } from '../../../http/http.schema.ts';
import { administrator, onServer, signedIn } from '../../api.access.ts';
import { userById } from '../users/users.find.ts';
import { addEmail, emailOf, removeEmail } from './emails.writes.ts';

const EmailEntity = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: Nullable(Instant()),
});
const present = ({ id, email, confirmed_at }: Email) => ({ id, email, confirmed_at });

const own = Type.Object({ email_id: Type.Integer() });
const ofUser = Type.Object({ id: Type.Integer({ description: 'Id of the user.' }) });
const ofUsersEmail = Type.Object({ ...ofUser.properties, ...own.properties });

function list(c: BaseContext, userId: number) {
  const query = c.deps.db.selectFrom('emails').selectAll().where('user_id', '=', userId).orderBy('id');
  return c.page(query, (rows) => rows.map(present));
}

/** Secondary e-mail addresses; the primary one is an attribute of the user. */
export const emailRoutes = [
  route({
    method: 'GET',
    path: '/user/emails',
    summary: "List the caller's secondary e-mail addresses",
    access: signedIn,
    scopes: ['read_user'],
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(EmailEntity) },
    handler: (context) => list(context, context.caller.user.id),
  }),
  route({
    method: 'GET',
    path: '/user/emails/:email_id',
    summary: "Get one of the caller's secondary e-mail addresses",
    access: signedIn,
    scopes: ['read_user'],
    params: own,
    success: { status: 200, schema: EmailEntity },
    errors: [404],
    handler: async ({ deps, caller, params }) => present(await emailOf(deps.db, caller.user.id, params.email_id)),
  }),
  route({
    method: 'POST',
    path: '/user/emails',
    summary: 'Add an e-mail address',
    description: 'The address stays unconfirmed until the user confirms it.',
    access: onServer('create_own_email'),
    input: Type.Object({ email: Filled() }),
    success: { status: 201, schema: EmailEntity },
    errors: [400],
    handler: async ({ deps, caller, input }) => {
      const created_at = timestamp(deps.clock);
      return present(
        await addEmail(deps, { user_id: caller.user.id, email: input.email, confirmed_at: null, created_at }),
      );
    },
  }),
  route({
    method: 'DELETE',
    path: '/user/emails/:email_id',
    summary: "Remove one of the caller's secondary e-mail addresses",
    access: onServer('remove_own_email'),
    params: own,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, caller, params }) =>
      removeEmail(deps, await emailOf(deps.db, caller.user.id, params.email_id)),
  }),
  route({
    method: 'GET',
    path: '/users/:id/emails',
    summary: "List a user's secondary e-mail addresses",
    access: administrator,
    scopes: ['read_user'],
    params: ofUser,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(EmailEntity) },
    errors: [404],
    handler: async (context) => list(context, (await userById(context.deps.db, context.params.id)).id),
  }),
  route({
    method: 'POST',
    path: '/users/:id/emails',
    summary: 'Add an e-mail address to a user',
    access: onServer('admin_users'),
    params: ofUser,
    input: Type.Object({
      email: Filled(),
      skip_confirmation: Type.Optional(Type.Boolean({ description: 'Treat the address as confirmed.' })),
    }),
    success: { status: 201, schema: EmailEntity },
    errors: [400, 404],
    handler: async ({ deps, params, input }) => {
      const { id: user_id } = await userById(deps.db, params.id);
      const created_at = timestamp(deps.clock);
      const confirmed_at = input.skip_confirmation === true ? created_at : null;
      return present(await addEmail(deps, { user_id, email: input.email, confirmed_at, created_at }));
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:id/emails/:email_id',
    summary: "Remove a user's secondary e-mail address",
    access: onServer('admin_users'),
    params: ofUsersEmail,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, params }) => {
      const user = await userById(deps.db, params.id);
      await removeEmail(deps, await emailOf(deps.db, user.id, params.email_id));
    },
  }),
];
