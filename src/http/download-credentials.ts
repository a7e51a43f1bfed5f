import { callerOfSession, findSession } from '../access/user-sessions.ts';
import { API_TOKENS } from './api-tokens.ts';
import type { CredentialLocation } from './credential-locations.ts';
import type { CredentialLookup, Credentials } from './http.credentials.ts';
import { readCookie, SESSION_COOKIE } from './session-cookie.ts';

const cookie: CredentialLocation = {
  scheme: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
  words: `cookie \`${SESSION_COOKIE}\``,
  inBody: false,
  headers: ['cookie'],
  read: (request) => {
    const secret = readCookie(request, 'session');
    return secret === null ? null : { secret, username: null };
  },
};

/** A session that has ended is none. */
const session: CredentialLookup = async (deps, { secret }, { ip }) =>
  callerOfSession(await findSession(deps, secret, { ip }));

/**
 * Credentials of downloads that pages link to: tokens of the API, or the session of the browser. For routes that only
 * read, since other pages can send a browser there.
 */
export const DOWNLOAD_CREDENTIALS: Credentials = {
  methods: [
    ...API_TOKENS.methods,
    { name: 'session', location: cookie, description: 'The session of a browser.', kinds: [session] },
  ],
};
