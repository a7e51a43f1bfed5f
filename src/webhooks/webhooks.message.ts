import { createHmac, hash } from 'node:crypto';
import { VERSION } from '../core/core.version.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import type { HookSecrets } from './hook-secrets.ts';

/** One call of a hook. */
export interface HookCall {
  hook: WebHook;
  secrets: HookSecrets;
  /** `Push Hook` and the like. */
  header: string;
  eventUuid: string;
  idempotencyKey: string;
  /** JSON. */
  body: Buffer;
}

const REDACTED = '[REDACTED]';
/** Headers that say how a request is sent. */
const OF_THE_CONNECTION =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

/** A text as the bytes of a header: others than ASCII as UTF-8. */
const headerText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The name that a header has here, and the one that clients of the platform know. */
const named = (name: string, value: string): Record<string, string> => ({
  [`X-Svc-${name}`]: value,
  [`X-Gitlab-${name}`]: value,
});

/**
 * The headers of a call (part 2, section 6). Those of the hook's own come first, so that they take the place of none of ours.
 * @param now unix time in seconds
 * @returns what is sent, and the same without secrets, for the log
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

/** Signature of a call as Standard Webhooks has it. @param token `whsec_` and the key in base64 */
export function signatureOf(token: string, id: string, timestamp: number, body: Buffer): string {
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** What a log calls that for which a hook was called: `push_hooks`. */
export const triggerOfLog = (header: string): string => `${header.toLowerCase().replaceAll(' ', '_')}s`;

/** A UUID made of texts: the same for the same ones. */
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
