import { hash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { timestamp } from '../core/clock.ts';
import { parseJson } from '../db/columns.ts';
import type { WebHookLogsTable } from '../db/tables/web-hook-logs.table.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { CallFailed, callExternal, type OutboundResponse } from '../outbound/call.ts';
import { BlockedAddress } from '../outbound/outbound.resolve.ts';
import { isSystem } from './health.ts';
import { openSecrets } from './hook-secrets.ts';
import { basicAuth, interpolated, withoutPassword } from './hook-url.ts';
import { storedRequest } from './stored-payload.ts';
import { hookAddress, hookRules } from './webhooks.address.ts';
import { headersOf } from './webhooks.message.ts';
import { fillTemplate, InvalidTemplate } from './webhooks.template.ts';

/** Timeout of a call, in milliseconds (part 2, section 6). */
const TIMEOUT_MS = 10_000;
const MAX_BODY = 8 * 1024;
const MAX_HEADERS = 50;
const MAX_HEADER = 1024;
/** Logged in place of a status if there was no answer. */
export const NO_RESPONSE = 'internal error';
/** Statuses of proxies and overloaded servers: the receiver was not reached. */
const NOT_REACHED: readonly number[] = [408, 425, 429, 502, 503, 504];

/**
 * Outcome of a call: `done` if accepted, `refused` if the receiver answered with an error, `unanswered` if it was not
 * reached.
 */
export type Outcome = 'done' | 'refused' | 'unanswered';

export interface CallResult {
  outcome: Outcome;
  /** Its log row. */
  log: Insertable<WebHookLogsTable>;
  /** The status, or the reason why there is none. */
  text: string;
}

/** Digest of the URL of a hook, to detect changes. */
export const addressDigest = (address: string): string => hash('sha256', `web_hook:${address}`, 'base64url');

/** A delivery to a hook. */
export interface HookDelivery {
  /** Trigger name for the log, such as `push_hooks`. */
  trigger: string;
  /** Value of `X-Gitlab-Event`, such as `Push Hook`. */
  header: string;
  /** JSON payload. */
  payload: string;
  /** Id of the payload row, if any. */
  payloadId: number | null;
  eventUuid: string;
  idempotencyKey: string;
}

/** Response of a call, or the reason why there is none. */
type CallResponse = OutboundResponse | string;

/**
 * Calls a hook once.
 * @param signal aborts it when the server stops
 * @throws the reason of the signal
 */
export async function callHook(
  deps: Deps,
  hook: WebHook,
  delivery: HookDelivery,
  signal: AbortSignal,
): Promise<CallResult> {
  const secrets = openSecrets(deps, hook);
  const { custom_webhook_template: template } = hook;
  let text = delivery.payload;
  try {
    if (template !== null) text = fillTemplate(template, parseJson(delivery.payload));
  } catch (error) {
    if (!(error instanceof InvalidTemplate)) throw error;
    return {
      outcome: 'refused',
      log: logOf(deps, hook, delivery, { came: error.message, requestData: '{}' }),
      text: error.message,
    };
  }
  const call = { ...delivery, hook, secrets, body: Buffer.from(text) };
  const requestData = template === null ? null : text;
  const now = Math.floor(deps.clock.now().getTime() / 1_000);
  const begun = performance.now();
  let headers = headersOf(deps, call, now, null);
  let came: CallResponse;
  try {
    const rules = await hookRules(deps, isSystem(hook));
    const { url, authorization } = basicAuth(hookAddress(deps, interpolated(secrets), rules));
    headers = headersOf(deps, call, now, authorization);
    const sent = { method: 'POST', headers: headers.sent, timeoutMs: TIMEOUT_MS, signal } as const;
    const about = { kind: 'hook', url: url.href, body: text, event: delivery.header, hookId: hook.id } as const;
    came = await deps.outgoing.make({ ...sent, ...about }, () =>
      callExternal(url, rules, {
        ...sent,
        body: call.body,
        verifyTls: hook.enable_ssl_verification === 1,
        keepAlive: true,
        maxAnswerBytes: MAX_BODY,
      }),
    );
  } catch (error) {
    if (error instanceof CallFailed) came = error.message;
    else if (error instanceof BlockedAddress) came = `URL ${error.message}`;
    else throw error;
  }
  const seconds = (performance.now() - begun) / 1_000;
  const log = logOf(deps, hook, delivery, { came, requestData, seconds, headers: headers.shown });
  return { outcome: outcomeOf(came), log, text: typeof came === 'string' ? came : String(came.status) };
}

/** Records a call that was not made. @param why reason for the log */
export const recordSkippedCall = (deps: Deps, hook: WebHook, delivery: HookDelivery, why: string): CallResult => ({
  outcome: 'refused',
  log: logOf(deps, hook, delivery, { came: why }),
  text: why,
});

function outcomeOf(came: CallResponse): Outcome {
  if (typeof came === 'string') return 'unanswered';
  if (came.status >= 200 && came.status < 400) return 'done';
  return NOT_REACHED.includes(came.status) ? 'unanswered' : 'refused';
}

interface Facts {
  came: CallResponse;
  /** The body, if it differs from the payload. */
  requestData?: string | null;
  seconds?: number;
  /** Headers without secrets. */
  headers?: Readonly<Record<string, string>>;
}

/** The log row of a call, with bounded sizes. */
function logOf(
  deps: Deps,
  hook: WebHook,
  { trigger, payloadId, eventUuid, idempotencyKey }: HookDelivery,
  { came, requestData = null, seconds = 0, headers = {} }: Facts,
): Insertable<WebHookLogsTable> {
  const secrets = openSecrets(deps, hook);
  const answer = typeof came === 'string' ? { status: NO_RESPONSE, headers: {}, body: came } : came;
  const short = (text: string) => text.slice(0, MAX_HEADER).replaceAll('\0', '');
  const answered = Object.entries(answer.headers)
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => [short(name), short(value)]);
  return {
    hook_id: hook.id,
    payload_id: payloadId,
    trigger_name: trigger,
    url: withoutPassword(secrets.url),
    url_digest: addressDigest(interpolated(secrets)),
    event_uuid: eventUuid,
    idempotency_key: idempotencyKey,
    request_headers: JSON.stringify(headers),
    request_data: requestData === null ? null : storedRequest(deps, requestData),
    response_status: String(answer.status),
    response_headers: JSON.stringify(Object.fromEntries(answered)),
    response_body: answer.body.slice(0, MAX_BODY),
    execution_duration: Number(seconds.toFixed(4)),
    created_at: timestamp(deps.clock),
  };
}
