import { Type } from 'typebox';
import { timestamp } from '../../../core/clock.ts';
import type { Email } from '../../../db/tables/emails.table.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Filled, Instant, Nullable, pagination } from '../../../http/http.schema.ts';
import { administrator } from '../../api.access.ts';
import { OWN, ofUser, type Subject } from '../users/users.subjects.ts';
import { addEmail, emailOf, removeEmail } from './emails.writes.ts';

const EmailEntity = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: Nullable(Instant()),
});
const present = ({ id, email, confirmed_at }: Email) => ({ id, email, confirmed_at });

const emailId = { email_id: Type.Integer() };
const newOwn = Type.Object({ email: Filled() });
const newOfUser = Type.Object({
  email: Filled(),
  skip_confirmation: Type.Optional(Type.Boolean({ description: 'Treat the address as confirmed.' })),
});

function routesFor(subject: Subject): Route[] {
  const { own } = subject;
  const path = `${subject.path}/emails`;
  const one = `${path}/:email_id`;
  const reading = subject.reads(administrator);
  return [
    route({
      method: 'GET',
      path,
      summary: `List ${subject.whose} secondary e-mail addresses`,
      ...reading,
      params: subject.readParams({}),
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(EmailEntity) },
      errors: subject.errors(),
      handler: async (c) => {
        const { id } = await subject.find(c);
        const query = c.deps.db.selectFrom('emails').selectAll().where('user_id', '=', id).orderBy('id');
        return c.page(query, (rows) => rows.map(present));
      },
    }),
    ...(own
      ? [
          route({
            method: 'GET',
            path: one,
            summary: "Get one of the caller's secondary e-mail addresses",
            ...reading,
            params: subject.readParams(emailId),
            success: { status: 200, schema: EmailEntity },
            errors: [404],
            handler: async (c) => present(await emailOf(c.deps.db, c.caller.user!.id, c.params.email_id)),
          }),
        ]
      : []),
    route({
      method: 'POST',
      path,
      summary: `Add an e-mail address${subject.to}`,
      ...(own ? { description: 'The address stays unconfirmed until the user confirms it.' } : {}),
      access: subject.writes('create_own_email'),
      params: subject.writeParams({}),
      input: (own ? newOwn : newOfUser) as typeof newOfUser,
      success: { status: 201, schema: EmailEntity },
      errors: subject.errors(400),
      handler: async (c) => {
        const { email, skip_confirmation } = c.input;
        const { id: user_id } = await subject.find(c);
        const created_at = timestamp(c.deps.clock);
        const confirmed_at = skip_confirmation === true ? created_at : null;
        return present(await addEmail(c.deps, { user_id, email, confirmed_at, created_at }));
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Remove ${subject.oneOf('secondary e-mail address', 'secondary e-mail addresses')}`,
      access: subject.writes('remove_own_email'),
      params: subject.writeParams(emailId),
      success: { status: 204, empty: true },
      errors: [404],
      handler: async (c) =>
        removeEmail(c.deps, await emailOf(c.deps.db, (await subject.find(c)).id, c.params.email_id)),
    }),
  ];
}

/** Secondary e-mail addresses; the primary one is an attribute of the user. */
export const emailRoutes = [OWN, ofUser('id')].flatMap(routesFor);
