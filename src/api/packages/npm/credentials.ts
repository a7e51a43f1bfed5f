import type { Credentials } from '../../../http/credentials.ts';
import { CHALLENGED } from '../credentials.ts';
import { npmRefused } from './errors.ts';

/** How npm says who it is: `_authToken` is sent as Bearer, the older `_auth` as Basic. It asks for no challenge. */
export const NPM: Credentials = { ways: CHALLENGED.ways, refusal: () => npmRefused(401, '401 Unauthorized') };
