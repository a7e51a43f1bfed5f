import { sql } from 'kysely';
import { Type } from 'typebox';
import { matchesWildcard } from '../../core/wildcard.ts';
import { parseJson } from '../../db/columns.ts';
import type { BenchDelivery } from '../../db/tables/bench-deliveries.table.ts';
import { type Route, route } from '../../http/http.route.ts';
import { Enum, Instant, Nullable } from '../../http/http.schema.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { idsWithin, listInTime, readAfter, WaitingInput } from '../waiting-list.ts';
import { DELIVERIES_TOPIC } from './delivery-record.ts';

const DELIVERIES = '/-/bench/deliveries';

const DeliveryEntity = Type.Object({
  id: Type.Integer({ description: 'Number of the delivery.' }),
  at: Instant({ description: 'When it was tried.' }),
  kind: Enum(['hook', 'integration'], { description: 'Who called.' }),
  hook_id: Nullable(Type.Integer({ description: 'Id of the webhook; null for integrations.' })),
  url: Type.String({ description: 'URL of the receiver.' }),
  event: Nullable(Type.String({ description: 'Value of `X-Gitlab-Event`.', examples: ['Push Hook'] })),
  headers: Type.Record(Type.String(), Type.String(), { description: 'Headers as the receiver gets them.' }),
  body: Type.String({ description: 'Body as the receiver gets it.' }),
});

const DeliveryFilters = WaitingInput({
  event: Type.Optional(Type.String({ maxLength: 255, description: 'Event; `*` stands for any text.' })),
  url: Type.Optional(Type.String({ maxLength: 2_000, description: 'URL of the receiver; `*` stands for any text.' })),
});

const present = ({ id, created_at: at, kind, hook_id, url, event, headers, body }: BenchDelivery) => ({
  ...{ id, at, kind, hook_id, url, event, body },
  headers: parseJson<Record<string, string>>(headers),
});

/** The calls of webhooks and integrations that a server with a test bench has made, or would have. */
export const deliveriesRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: DELIVERIES,
    summary: 'List the deliveries that the test bench has recorded',
    description: 'The oldest first, each try. With `wait`, 408 if there are too few in time.',
    input: DeliveryFilters,
    success: { status: 200, schema: Type.Array(DeliveryEntity) },
    errors: [400, 408],
    handler: async (c) => {
      const { input, deps } = c;
      refuseUnknownKeys(c.sent, DeliveryFilters);
      const { event = '*', url = '*' } = input;
      const after = readAfter(input.after);
      const list = async () => {
        const rows = await deps.db
          .selectFrom('bench_deliveries')
          .select(['id', 'event', 'url'])
          .select(sql<number>`length(body)`.as('size'))
          .where(after.column, '>', after.value)
          .orderBy('id', 'desc')
          .execute();
        return rows.filter((row) => matchesWildcard(event, row.event ?? '') && matchesWildcard(url, row.url));
      };
      const ids = idsWithin(await listInTime(c, input, DELIVERIES_TOPIC, list));
      if (ids.length === 0) return [];
      const rows = deps.db.selectFrom('bench_deliveries').selectAll().where('id', 'in', ids);
      return (await rows.orderBy('id').execute()).map(present);
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'DELETE',
    path: DELIVERIES,
    summary: 'Delete the deliveries that the test bench has recorded',
    success: { status: 204, empty: true },
    handler: async ({ deps }) => void (await deps.db.deleteFrom('bench_deliveries').execute()),
  }),
];
