import { timestamp } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';
import type { OutgoingInterceptor } from '../../outbound/outgoing-calls.ts';

/** Deliveries that are kept; the oldest ones go. */
const MAX_DELIVERIES = 2_000;
/** Longest body that is kept. */
const MAX_BODY = 256 * 1024;

/** Topic of requests for deliveries that wait for more. */
export const DELIVERIES_TOPIC = 'test_bench.deliveries';

/** Records each try to call a webhook or an integration. */
export const deliveryRecord =
  (deps: Deps): OutgoingInterceptor =>
  async ({ kind, hookId, url, event, headers, body }, send) => {
    if (kind === 'mirror') return send();
    const { db } = deps;
    const { id } = await db
      .insertInto('bench_deliveries')
      .values({
        created_at: timestamp(deps.clock),
        kind,
        hook_id: hookId,
        url,
        event,
        headers: JSON.stringify(headers),
        body: body.slice(0, MAX_BODY).replaceAll('\0', ''),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db
      .deleteFrom('bench_deliveries')
      .where('id', '<=', id - MAX_DELIVERIES)
      .execute();
    deps.longPolls.wake(DELIVERIES_TOPIC);
    return send();
  };

/** Answers webhooks and integrations with 200 instead of calling them. */
export const captureCalls: OutgoingInterceptor = async ({ kind }, send) =>
  kind === 'mirror' ? send() : { status: 200, headers: {}, body: '' };
