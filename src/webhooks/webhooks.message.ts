import { createHmac, hash } from 'node:crypto';
import { VERSION } from '../core/core.version.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import type { HookSecrets } from './hook-secrets.ts';

/** A call of a hook. */
export interface HookCall {
  hook: WebHook;
  secrets: HookSecrets;
  /** Value of `X-Gitlab-Event`, such as `Push Hook`. */
  header: string;
  eventUuid: string;
  idempotencyKey: string;
  /** JSON body. */
  body: Buffer;
}

const REDACTED = '[REDACTED]';
/** Headers that belong to the connection. */
const OF_THE_CONNECTION =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

/** Encodes a header value: non-ASCII characters as UTF-8 bytes. */
const headerText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** A header under the name of this server and the one of the platform. */
const named = (name: string, value: string): Record<string, string> => ({
  [`X-Svc-${name}`]: value,
  [`X-Gitlab-${name}`]: value,
});

/**
 * The headers of a call (part 2, section 6). Custom headers come first, so that they cannot replace the standard ones.
 * @param now Unix time in seconds
 * @returns the headers to send, and the same without secrets for the log
 */
export function headersOf(
  deps: Pick<Deps, 'externalUrl'>,
  { hook, secrets, header, eventUuid, idempotencyKey, body }: HookCall,
  now: number,
  authorization: string | null,
): { sent: Record<string, string>; shown: Record<string, string> } {
  const ours: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': `Stithy/${VERSION.stithy}`,
    'Idempotency-Key': idempotencyKey,
    ...named('Event', header),
    ...named('Webhook-UUID', hook.uuid),
    ...named('Instance', deps.externalUrl()),
    ...named('Event-UUID', eventUuid),
  };
  if (secrets.signingToken !== null) {
    Object.assign(ours, {
      'webhook-id': idempotencyKey,
      'webhook-timestamp': String(now),
      'webhook-signature': signatureOf(secrets.signingToken, idempotencyKey, now, body),
    });
  }
  const secret = {
    ...(secrets.token === null ? {} : named('Token', headerText(secrets.token))),
    ...(authorization === null ? {} : { Authorization: authorization }),
  };
  const taken = new Set(Object.keys({ ...ours, ...secret }).map((name) => name.toLowerCase()));
  const own = secrets.headers.filter(({ key }) => !taken.has(key.toLowerCase()) && !OF_THE_CONNECTION.test(key));
  const texts = Object.fromEntries(own.map(({ key, value }) => [key, headerText(value)]));
  const hidden = Object.keys({ ...texts, ...secret }).map((name) => [name, REDACTED]);
  return { sent: { ...texts, ...ours, ...secret }, shown: { ...ours, ...Object.fromEntries(hidden) } };
}

/** Signature of a call by Standard Webhooks. @param token `whsec_` followed by the key in Base64 */
export function signatureOf(token: string, id: string, timestamp: number, body: Buffer): string {
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Trigger name in logs: `push_hooks`. */
export const triggerOfLog = (header: string): string => `${header.toLowerCase().replaceAll(' ', '_')}s`;

/** A UUID derived from texts; deterministic. */
export function uuidOf(...texts: readonly (string | number)[]): string {
  const hex = hash('sha256', texts.join(' '), 'hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
