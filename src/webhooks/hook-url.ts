import type { HookSecrets } from './hook-secrets.ts';

const VARIABLE = /\{([^{}]*)\}/g;
const MASK = '*****';

/** Names of the variables in a URL, without duplicates. */
export const variablesIn = (url: string): string[] => [
  ...new Set([...url.matchAll(VARIABLE)].map(([, name]) => name ?? '')),
];

/** Fills the variables of a URL; those without a value stay. */
export function interpolated({ url, variables }: Pick<HookSecrets, 'url' | 'variables'>): string {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  return url.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** Masks user and password of a URL, for logs. */
export const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/)[^/?#]*@/, `$1${MASK}:${MASK}@`);

/** Splits user and password from a URL into an authorization header. */
export function basicAuth(address: URL): { url: URL; authorization: string | null } {
  if (address.username === '' && address.password === '') return { url: address, authorization: null };
  const url = new URL(address);
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = '';
  url.password = '';
  return { url, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
