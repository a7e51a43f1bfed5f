import { openStored, type StoredSecret, sealStored, storedText } from '../core/stored-secret.ts';
import type { Deps } from '../deps.ts';

type Box = Pick<Deps, 'secrets'>;
type StoredPayload = StoredSecret<'web_hook_payloads.payload'>;
type StoredRequest = StoredSecret<'web_hook_logs.request_data'>;

/** What tells values of variables. */
const WITH_VALUES = 'Pipeline Hook';

/** What hooks are told, as it is kept: sealed where it may hold secrets. @param payload JSON of an object */
export const storedPayload = ({ secrets }: Box, header: string, payload: string): StoredPayload =>
  header === WITH_VALUES ? sealStored(secrets, payload, 'web_hook_payloads.payload') : storedText(payload);

/** JSON; null where it cannot be read, as when the key of the installation was lost. */
export const openPayload = ({ secrets }: Box, payload: StoredPayload): string | null =>
  openStored(secrets, payload, 'web_hook_payloads.payload');

/** What a template has made of a payload, as the log keeps it. */
export const storedRequest = ({ secrets }: Box, text: string): StoredRequest =>
  sealStored(secrets, text, 'web_hook_logs.request_data');

/** What was sent in a call, as JSON; null where it is not kept, or cannot be read. */
export function openRequest(
  { secrets }: Box,
  { request_data, payload }: { request_data: StoredRequest | null; payload: StoredPayload | null },
): string | null {
  if (request_data !== null) return openStored(secrets, request_data, 'web_hook_logs.request_data');
  return payload === null ? null : openPayload({ secrets }, payload);
}
