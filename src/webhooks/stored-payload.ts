import { openStored, type StoredSecret, sealStored, storedText } from '../core/stored-secret.ts';
import type { Deps } from '../deps.ts';
import type { HookMessage } from './webhooks.source.ts';

type Box = Pick<Deps, 'secrets'>;
type StoredPayload = StoredSecret<'web_hook_payloads.payload'>;
type StoredRequest = StoredSecret<'web_hook_logs.request_data'>;

/** The stored form of a payload: encrypted if it may contain secrets. @param payload its JSON */
export const storedPayload = (
  { secrets }: Box,
  { secret }: Pick<HookMessage, 'secret'>,
  payload: string,
): StoredPayload => (secret === true ? sealStored(secrets, payload, 'web_hook_payloads.payload') : storedText(payload));

/** Decrypts a payload to JSON; null if that fails, for example after the loss of the installation's key. */
export const openPayload = ({ secrets }: Box, payload: StoredPayload): string | null =>
  openStored(secrets, payload, 'web_hook_payloads.payload');

/** The stored form of a payload rendered by a template, for the log. */
export const storedRequest = ({ secrets }: Box, text: string): StoredRequest =>
  sealStored(secrets, text, 'web_hook_logs.request_data');

/** The body of a call, as JSON; null if it is not stored or cannot be decrypted. */
export function openRequest(
  { secrets }: Box,
  { request_data, payload }: { request_data: StoredRequest | null; payload: StoredPayload | null },
): string | null {
  if (request_data !== null) return openStored(secrets, request_data, 'web_hook_logs.request_data');
  return payload === null ? null : openPayload({ secrets }, payload);
}
