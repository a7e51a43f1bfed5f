import type { HookSecrets, NamedValue } from './hook-secrets.ts';
import { interpolated, variablesIn } from './hook-url.ts';

/** What is asked for of a hook's secrets; what is left out stays as it is. */
export interface SecretsChange {
  url?: string;
  /** Null or empty takes it away. */
  token?: string | null;
  signing_token?: string | null;
  /** Take the place of those with the same keys; the others stay. */
  url_variables?: readonly NamedValue[];
  custom_headers?: readonly NamedValue[];
}

const NONE: HookSecrets = { url: '', token: null, signingToken: null, variables: [], headers: [] };

/**
 * The secrets of a hook after a change. Whoever changes where it calls gets none of what was given for another place:
 * tokens stay while the address is the same, headers while all of it is with its variables filled in, values of variables while the
 * server is the same and the address names them.
 * @param before null for a new hook
 */
export function changedSecrets(before: HookSecrets | null, change: SecretsChange): HookSecrets {
  const old = before ?? NONE;
  const url = change.url?.trim() ?? old.url;
  const merged = merge(old.variables, change.url_variables);
  const sameServer = origin({ url, variables: merged }) === origin(old);
  const named = new Set(variablesIn(url));
  const kept = url === old.url ? old.variables : old.variables.filter(({ key }) => named.has(key));
  const variables = merge(sameServer ? kept : [], change.url_variables);
  const same = interpolated({ url, variables }) === interpolated(old);
  const tokens = url === old.url && sameServer ? old : NONE;
  const text = (input: string | null | undefined, stored: string | null) =>
    input === undefined ? stored : input || null;
  return {
    url,
    variables,
    token: text(change.token, tokens.token),
    signingToken: text(change.signing_token, tokens.signingToken),
    headers: merge(same ? old.headers : [], change.custom_headers),
  };
}

/** Those of the first list and of the second, which win. */
function merge(old: readonly NamedValue[], news: readonly NamedValue[] = []): NamedValue[] {
  const all = new Map([...old, ...news].map(({ key, value }) => [key, value]));
  return [...all].map(([key, value]) => ({ key, value }));
}

/** Server that an address leads to; the address itself where it names none. */
function origin(secrets: Pick<HookSecrets, 'url' | 'variables'>): string {
  const address = interpolated(secrets);
  const parsed = URL.parse(address);
  return parsed === null ? address : parsed.origin;
}
