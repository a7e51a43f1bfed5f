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
import { addressDigest, type CallResult, NO_RESPONSE } from './webhooks.send.ts';

/** Filter of calls by status or class of status. */
export interface LogFilter {
  codes: readonly string[];
  kinds: readonly ('successful' | 'client_failure' | 'server_failure')[];
}

/** Range of each class of status, end exclusive; compared as text. */
const RANGES = { successful: ['200', '300'], client_failure: ['400', '500'], server_failure: ['500', '600'] } as const;

/** Query for the calls of a hook with their payloads, newest first. */
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
        return kind === 'server_failure' ? eb.or([within, eb('response_status', '=', NO_RESPONSE)]) : within;
      }),
    ]),
  );
}

export type LogWithPayload = Awaited<ReturnType<ReturnType<typeof logsOf>['execute']>>[number];

/**
 * Repeats a logged call of a hook, with the same `Idempotency-Key`.
 * @throws ApiError 404, 422 if the URL of the hook has changed, or if the payload is no longer stored
 */
export async function resend(deps: Deps, hook: WebHook, logId: number): Promise<CallResult> {
  const log = await logsOf(deps.db, hook, null).where('web_hook_logs.id', '=', logId).executeTakeFirst();
  if (log === undefined) throw recordNotFound();
  if (log.url_digest !== addressDigest(interpolated(openSecrets(deps, hook)))) {
    throw refusedHook('The hook URL has changed. This log entry cannot be retried.');
  }
  const payload = openRequest(deps, log);
  const header = parseJson<Record<string, string>>(log.request_headers)['X-Gitlab-Event'];
  if (payload === null || header === undefined)
    throw refusedHook('The payload is no longer stored. This log entry cannot be retried.');
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
