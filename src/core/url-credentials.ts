/**
 * User name and password of an address: `https://ann:secret@host/`. All that follows is at most as long as the next slash,
 * so no text takes long; an encoded slash ends nothing, for it stands in a password.
 */
const PLAIN = /(:\/\/)[^/\\?#\s"'<>&]+(?:@|%40)/gi;
/** The same percent-encoded, or in parts: `https%3A%2F%2Fann%3Asecret%40host%2F`. */
const ENCODED = /((?::|%3a)(?:\/|%2f){2})(?:(?!\/|%2f|%5c|[\\?#\s"'<>&]|%3f|%23).)+(?:@|%40)/gi;

export const FILTERED = '[FILTERED]';

/** The text with user names and passwords taken out of every address in it. */
export const withoutUrlCredentials = (text: string): string =>
  text.includes('@') || text.includes('%40')
    ? text.replace(PLAIN, `$1${FILTERED}@`).replace(ENCODED, `$1${FILTERED}@`)
    : text;

/** An address without user, password, query and fragment; empty for what is none. */
export function bareAddress(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
