/**
 * User name and password of an address, plain or percent-encoded: `https://ann:secret@host/`,
 * `https%3A%2F%2Fann%3Asecret%40host%2F`. All that follows is at most as long as the next slash, so no text takes long.
 */
const CREDENTIALS = /((?::|%3a)(?:\/|%2f){2})(?:(?!\/|%2f|%5c|[\\?#\s"'<>&]|%3f|%23).)+(?:@|%40)/gi;

export const FILTERED = '[FILTERED]';

/** The text with user names and passwords taken out of every address in it. */
export const withoutUrlCredentials = (text: string): string =>
  text.includes('@') || text.includes('%40') ? text.replace(CREDENTIALS, `$1${FILTERED}@`) : text;
