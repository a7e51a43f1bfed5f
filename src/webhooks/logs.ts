import { recordNotFound } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { openSecrets } from './hook-secrets.ts';
import { interpolated } from './hook-url.ts';
import { openRequest } from './stored-payload.ts';
import { callNow } from './test-hook.ts';
import { refusedHook } from './webhooks.rules.ts';
import { addressDigest, type Called, NO_ANSWER } from './webhooks.send.ts';

/** Which calls: by status, or by kinds of statuses. */
export interface LogFilter {
  codes: readonly string[];
  kinds: readonly ('successful' | 'client_failure' | 'server_failure')[];
}

/** Statuses of each kind, from the first on to one before the second; text order is their order. */
const RANGES = { successful: ['200', '300'], client_failure: ['400', '500'], server_failure: ['500', '600'] } as const;

/** The calls of a hook with what was sent, the newest first, as a query to count and page. */
export function logsOf(db: Db, hook: WebHook, filter: LogFilter | null) {
  const query = db
    .selectFrom('web_hook_logs')
    .leftJoin('web_hook_payloads', 'web_hook_payloads.id', 'web_hook_logs.payload_id')
    .selectAll('web_hook_logs')
    .select('web_hook_payloads.payload')
    .where('hook_id', '=', hook.id)
    .orderBy('web_hook_logs.id', 'desc');
  if (filter === null) return query;
  return query.where((eb) =>
    eb.or([
      eb('response_status', 'in', filter.codes),
      ...filter.kinds.map((kind) => {
        const [from, to] = RANGES[kind];
        const within = eb.and([eb('response_status', '>=', from), eb('response_status', '<', to)]);
        return kind === 'server_failure' ? eb.or([within, eb('response_status', '=', NO_ANSWER)]) : within;
      }),
    ]),
  );
}

export type LogWithPayload = Awaited<ReturnType<ReturnType<typeof logsOf>['execute']>>[number];

/**
 * Calls a hook again with what a log says was sent, under the same `Idempotency-Key`.
 * @throws ApiError 404, 422 where the hook has another address by now, or what was sent is not kept any more
 */
export async function resend(deps: Deps, hook: WebHook, logId: number): Promise<Called> {
  const log = await logsOf(deps.db, hook, null).where('web_hook_logs.id', '=', logId).executeTakeFirst();
  if (log === undefined) throw recordNotFound();
  if (log.url_digest !== addressDigest(interpolated(openSecrets(deps, hook)))) {
    throw refusedHook('The hook URL has changed. This log entry cannot be retried.');
  }
  const payload = openRequest(deps, log);
  const header = parseJson<Record<string, string>>(log.request_headers)['X-Gitlab-Event'];
  if (payload === null || header === undefined) throw refusedHook('What was sent is not kept. It cannot be retried.');
  return callNow(
    deps,
    { ...hook, custom_webhook_template: null },
    {
      header,
      payload,
      trigger: log.trigger_name,
      payloadId: log.request_data === null ? log.payload_id : null,
      eventUuid: log.event_uuid,
      idempotencyKey: log.idempotency_key,
    },
  );
}
