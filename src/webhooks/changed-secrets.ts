import type { HookSecrets, NamedValue } from './hook-secrets.ts';
import { interpolated, variablesIn } from './hook-url.ts';

/** A requested change of the secrets of a hook; absent values stay as they are. */
export interface SecretsChange {
  url?: string;
  /** Null or empty to remove it. */
  token?: string | null;
  signing_token?: string | null;
  /** Replace those with the same keys; the others stay. */
  url_variables?: readonly NamedValue[];
  custom_headers?: readonly NamedValue[];
}

const NONE: HookSecrets = { url: '', token: null, signingToken: null, variables: [], headers: [] };

/**
 * The secrets of a hook after a change. Secrets given for one address are never sent to another: tokens are kept while
 * the URL template stays the same, headers while the interpolated URL stays the same, values of variables while the
 * server stays the same and the URL uses them.
 * @param before null for a new hook
 */
export function changedSecrets(before: HookSecrets | null, change: SecretsChange): HookSecrets {
  const old = before ?? NONE;
  const url = change.url?.trim() ?? old.url;
  const merged = merge(old.variables, change.url_variables);
  const sameServer = origin({ url, variables: merged }) === origin(old);
  const named = new Set(variablesIn(url));
  const usedVariables = url === old.url ? old.variables : old.variables.filter(({ key }) => named.has(key));
  const variables = merge(sameServer ? usedVariables : [], change.url_variables);
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

/** Merges two lists; the second takes precedence. */
function merge(old: readonly NamedValue[], news: readonly NamedValue[] = []): NamedValue[] {
  const all = new Map([...old, ...news].map(({ key, value }) => [key, value]));
  return [...all].map(([key, value]) => ({ key, value }));
}

/** Server of a URL; the URL itself if it has none. */
function origin(secrets: Pick<HookSecrets, 'url' | 'variables'>): string {
  const address = interpolated(secrets);
  const parsed = URL.parse(address);
  return parsed === null ? address : parsed.origin;
}
