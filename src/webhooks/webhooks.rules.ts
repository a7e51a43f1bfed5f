import { ApiError, invalidModel } from '../core/core.errors.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { BlockedAddress, resolveExternal, UnresolvedHost } from '../outbound/outbound.resolve.ts';
import type { HookSecrets, NamedValue } from './hook-secrets.ts';
import { interpolated, variablesIn } from './hook-url.ts';
import { hookAddress, hookRules } from './webhooks.address.ts';
import { isBranchFilter } from './webhooks.branch-filter.ts';

const MAX_URL = 8_192;
const MAX_TOKEN = 8_192;
const MAX_NAME = 255;
const MAX_DESCRIPTION = 2_048;
const MAX_TEMPLATE = 4_096;
const MAX_FILTER = 5_000;
/** Maximum number of variables, and of headers, of a hook. */
const MAX_NAMED = 20;
const MAX_VALUE = 2_048;
const KEY = /^[A-Za-z]+[0-9]*(?:[._-][A-Za-z0-9]+)*$/;
const MAX_KEY = 255;
/** Characters that are invalid in headers. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
/** Encoded line ends, which could end a header after decoding. */
const ENCODED_LINE_END = /%0[ad]/i;
const SIGNING_TOKEN = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;

/** Names of the local machine, even if they cannot be resolved. */
const LOCALHOST = /(?:^|\.)localhost\.?$/i;

/** Refusal (422) of a hook, with the text under `error` as well. */
export const refusedHook = (text: string): ApiError => new ApiError(422, text, { error: text });

/** Refusal of an invalid key or value. */
export const invalidNamedValue = (): ApiError => refusedHook('Illegal key or value');

export const isVariable = ({ key, value }: NamedValue): boolean => isKey(key) && value.length > 0 && fits(value);
export const isHeader = ({ key, value }: NamedValue): boolean =>
  isKey(key) && fits(value) && value.trim() === value && !CONTROL.test(value) && !ENCODED_LINE_END.test(value);

const isKey = (key: string): boolean => key.length <= MAX_KEY && KEY.test(key);
const fits = (value: string): boolean => value.length <= MAX_VALUE && !value.includes('\0');

/** The new state of a hook. */
export interface HookState {
  row: Pick<
    WebHook,
    'name' | 'description' | 'branch_filter_strategy' | 'push_events_branch_filter' | 'custom_webhook_template'
  >;
  secrets: HookSecrets;
}

/** Validates the new state of a hook. @param isNew whether it is being created @throws ApiError 422 */
export function refuseInvalid({ row, secrets }: HookState, isNew: boolean): void {
  const { branch_filter_strategy: strategy, push_events_branch_filter: filter } = row;
  if (filter && (filter.length > MAX_FILTER || (strategy !== 'all_branches' && !isBranchFilter(strategy, filter)))) {
    throw refusedHook('Invalid branch filter given');
  }
  const { variables, headers, token, signingToken, url } = secrets;
  if (variables.length > MAX_NAMED || !variables.every(isVariable)) throw invalidNamedValue();
  if (headers.length > MAX_NAMED || !headers.every(isHeader)) {
    throw refusedHook(isNew ? 'Custom headers must be a valid json schema' : 'Custom headers validation failed');
  }
  const tooLong = (text: string | null, maxLength: number) =>
    text !== null && text.length > maxLength ? [`is too long (maximum is ${maxLength} characters)`] : [];
  const errors = {
    url: tooLong(url, MAX_URL),
    token: [...tooLong(token, MAX_TOKEN), ...(token !== null && CONTROL.test(token) ? ['is invalid'] : [])],
    signing_token:
      signingToken === null || isSigningToken(signingToken) ? [] : ['must be whsec_ followed by 32 bytes in Base64'],
    name: tooLong(row.name, MAX_NAME),
    description: tooLong(row.description, MAX_DESCRIPTION),
    custom_webhook_template: tooLong(row.custom_webhook_template, MAX_TEMPLATE),
  };
  const wrong = Object.entries(errors).filter(([, texts]) => texts.length > 0);
  if (wrong.length > 0) throw invalidModel(Object.fromEntries(wrong), 422);
}

function isSigningToken(text: string): boolean {
  const [, key = ''] = SIGNING_TOKEN.exec(text) ?? [];
  const { length } = Buffer.from(key, 'base64');
  return length >= 24 && length <= 64;
}

/** Refuses a URL with a variable without value. @throws ApiError 422 */
export function refuseMissing({ url, variables }: HookSecrets): void {
  const known = new Set(variables.map(({ key }) => key));
  const missing = variablesIn(url).filter((name) => !known.has(name));
  if (missing.length > 0) throw refusedHook(`Invalid URL template. Missing keys: ${JSON.stringify(missing)}`);
}

/**
 * Refuses blocked URLs; the URL is checked again for each call. A host that cannot be resolved now is accepted.
 * @throws ApiError 422
 */
export async function refuseAddress(deps: Deps, secrets: HookSecrets, system: boolean): Promise<void> {
  refuseMissing(secrets);
  const rules = await hookRules(deps, system);
  const address = interpolated(secrets);
  try {
    await resolveExternal(hookAddress(deps, address, rules), rules);
  } catch (error) {
    if (error instanceof UnresolvedHost && !LOCALHOST.test(new URL(address).hostname)) return;
    if (error instanceof BlockedAddress) throw refusedHook('Invalid url given');
    throw error;
  }
}
