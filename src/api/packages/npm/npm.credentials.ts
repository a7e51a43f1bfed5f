import type { Credentials } from '../../../http/http.credentials.ts';
import { CHALLENGED } from '../registries.credentials.ts';
import { npmError } from './npm.errors.ts';

/** How npm says who it is: `_authToken` is sent as Bearer, the older `_auth` as Basic. It asks for no challenge. */
export const NPM: Credentials = { methods: CHALLENGED.methods, challenge: () => npmError(401, '401 Unauthorized') };
