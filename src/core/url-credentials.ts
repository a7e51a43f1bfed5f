/**
 * Username and password in a URL: `https://ann:secret@host/`. Matching ends at the next slash, so it is fast for any
 * text; an encoded slash can be part of a password.
 */
const PLAIN = /(:\/\/)[^/\\?#\s"'<>&]+(?:@|%40)/gi;
/** The same, fully or partly percent-encoded: `https%3A%2F%2Fann%3Asecret%40host%2F`. */
const ENCODED = /((?::|%3a)(?:\/|%2f){2})(?:(?!\/|%2f|%5c|[\\?#\s"'<>&]|%3f|%23).)+(?:@|%40)/gi;

export const FILTERED = '[FILTERED]';

/** Removes usernames and passwords from all URLs in a text. */
export const withoutUrlCredentials = (text: string): string =>
  text.includes('@') || text.includes('%40')
    ? text.replace(PLAIN, `$1${FILTERED}@`).replace(ENCODED, `$1${FILTERED}@`)
    : text;

/** A URL without user, password, query and fragment; empty if it is invalid. */
export function bareAddress(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
