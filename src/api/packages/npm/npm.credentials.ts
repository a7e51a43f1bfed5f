import type { Credentials } from '../../../http/http.credentials.ts';
import { CHALLENGED } from '../registries.credentials.ts';
import { npmError } from './npm.errors.ts';

/** Credentials of npm: `_authToken` is sent as Bearer, the older `_auth` as Basic. npm needs no challenge. */
export const NPM: Credentials = { methods: CHALLENGED.methods, challenge: () => npmError(401, '401 Unauthorized') };
