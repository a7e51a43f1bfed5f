import { sql } from 'kysely';
import { Type } from 'typebox';
import { matchesWildcard } from '../../core/wildcard.ts';
import type { BenchMail } from '../../db/tables/bench-mails.table.ts';
import { type Route, route } from '../../http/http.route.ts';
import { Instant, Nullable } from '../../http/http.schema.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { idsWithin, listInTime, readAfter, WaitingInput } from '../waiting-list.ts';
import { linksOf, MAILS_TOPIC } from './mail-record.ts';

const MAILS = '/-/bench/mails';

const MailEntity = Type.Object({
  id: Type.Integer({ description: 'Number of the mail.' }),
  at: Instant({ description: 'When it was sent.' }),
  to: Type.String({ description: 'Address of the recipient.' }),
  from: Type.String({ description: 'Name and address of the sender.' }),
  subject: Type.String({ description: 'Subject.' }),
  text: Type.String({ description: 'Its text.' }),
  html: Nullable(Type.String({ description: 'Its HTML; null if there is none.' })),
  links: Type.Array(Type.String(), { description: 'Addresses that it links to.' }),
});

const MailFilters = WaitingInput({
  to: Type.Optional(Type.String({ maxLength: 255, description: 'Address of the recipient.' })),
  subject: Type.Optional(Type.String({ maxLength: 1_000, description: 'Subject; `*` stands for any text.' })),
});

const present = ({ id, created_at: at, recipient: to, sender: from, subject, body: text, html }: BenchMail) => ({
  ...{ id, at, to, from, subject, text, html },
  links: linksOf(text, html),
});

/** The mails that a server with a test bench has sent, or would have. */
export const mailsRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: MAILS,
    summary: 'List the mails that the test bench has recorded',
    description: 'The oldest first. With `wait`, 408 if there are too few in time.',
    input: MailFilters,
    success: { status: 200, schema: Type.Array(MailEntity) },
    errors: [400, 408],
    handler: async (c) => {
      const { input, deps } = c;
      refuseUnknownKeys(c.sent, MailFilters);
      const { subject: wanted = '*' } = input;
      const to = input.to?.toLowerCase();
      const after = readAfter(input.after);
      const list = async () => {
        const rows = await deps.db
          .selectFrom('bench_mails')
          .select(['id', 'recipient', 'subject'])
          .select(sql<number>`length(body) + coalesce(length(html), 0)`.as('size'))
          .where(after.column, '>', after.value)
          .orderBy('id', 'desc')
          .execute();
        return rows.filter(
          ({ recipient, subject }) =>
            (to === undefined || recipient.toLowerCase() === to) && matchesWildcard(wanted, subject),
        );
      };
      const ids = idsWithin(await listInTime(c, input, MAILS_TOPIC, list));
      if (ids.length === 0) return [];
      const mails = await deps.db.selectFrom('bench_mails').selectAll().where('id', 'in', ids).orderBy('id').execute();
      return mails.map(present);
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'DELETE',
    path: MAILS,
    summary: 'Delete the mails that the test bench has recorded',
    success: { status: 204, empty: true },
    handler: async ({ deps }) => void (await deps.db.deleteFrom('bench_mails').execute()),
  }),
];
