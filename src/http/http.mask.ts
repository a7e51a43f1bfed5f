import type { TObject } from 'typebox';
import { FILTERED, withoutUrlCredentials } from '../core/url-credentials.ts';
import type { JsonSchema } from './params/params.scalars.ts';

/** Names of credentials, declared or not. */
const CREDENTIAL = /(?:^|[_-])(?:tokens?|password|passphrase|passwd|secret|key|credentials?)$|^(?:code|instance_id)$/i;
/** Cursor of a list, not a credential. */
const CURSOR = 'page_token';

/** Names of inputs declared as `Secret`; nested ones with dots (`hook.token`). */
export function secretNames(input: TObject | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (schema: JsonSchema, name: string): void => {
    if (schema.format === 'password') names.add(name);
    for (const alternative of schema.anyOf ?? []) visit(alternative, name);
    if (schema.items !== undefined) visit(schema.items, name);
    for (const [key, member] of Object.entries(schema.properties ?? {}))
      visit(member, name === '' ? key : `${name}.${key}`);
  };
  if (input !== undefined) visit(input as JsonSchema, '');
  return names;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A name without brackets and encodings, like most. */
const ONE_WORD = /^[A-Za-z_]+$/;

const isCredential = (word: string): boolean => CREDENTIAL.test(word) && word !== CURSOR;

/**
 * Whether the values of a parameter are secret.
 * @param name also with brackets (`hook[token]`)
 * @param declared secret inputs of the route, as returned by `secretNames`
 */
export function isSecretName(name: string, declared: ReadonlySet<string>): boolean {
  if (ONE_WORD.test(name)) return isCredential(name) || declared.has(name);
  const words = decoded(name)
    .split(/[[\]]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
  return words.some((word, index) => isCredential(word) || declared.has(words.slice(0, index + 1).join('.')));
}

/**
 * A URL for the log: values of secret parameters, and user names and passwords in URLs, are removed.
 * @param url path and query of a request
 * @param declared secret inputs of its route, as returned by `secretNames`
 */
export function maskAddress(url: string, declared: ReadonlySet<string>): string {
  const question = url.indexOf('?');
  if (question === -1) return withoutUrlCredentials(url);
  let masked = withoutUrlCredentials(url.slice(0, question));
  for (let start = question + 1, end: number; start <= url.length; start = end + 1) {
    const next = url.indexOf('&', start);
    end = next === -1 ? url.length : next;
    const pair = url.slice(start, end);
    const equals = pair.indexOf('=');
    const name = equals === -1 ? undefined : pair.slice(0, equals);
    masked += start === question + 1 ? '?' : '&';
    masked += name !== undefined && isSecretName(name, declared) ? `${name}=${FILTERED}` : withoutUrlCredentials(pair);
  }
  return masked;
}
