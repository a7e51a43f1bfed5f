import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { ApiError } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import { basic, bearer } from '../../http/credential-places.ts';
import { type Credentials, callerOf, orRefusal } from '../../http/credentials.ts';
import { accessToken, deployToken, jobToken, password } from '../../http/secret-kinds.ts';

const DENIED = 'HTTP Basic: Access denied. Give a token as the password (any user name), or a user name and password.';

/** How git and its like say who they are; any 401 makes git ask its user. */
export const GIT_CREDENTIALS: Credentials = {
  ways: [
    { name: 'bearer', place: bearer, description: 'An access token or an OAuth token.', kinds: [accessToken] },
    {
      name: 'basic',
      place: basic,
      description:
        'An access token, or the token of a job, as the password with any user name; the name and token of a deploy token; or a user name and password.',
      kinds: [accessToken, jobToken, deployToken, password],
    },
  ],
  refusal: () => new ApiError(401, DENIED, {}, { 'WWW-Authenticate': 'Basic realm="Stithy"' }),
};

/** Runs what may find that the caller has to say who they are. @throws ApiError; for 401 one that makes git ask its user */
export const orChallenge = <T>(work: () => Promise<T>): Promise<T> => orRefusal(GIT_CREDENTIALS, work);

/** Who sent a git request; anonymous where it does not say. @throws ApiError 401, 403, 429 */
export const gitCaller = (deps: Deps, request: FastifyRequest): Promise<Caller> =>
  orChallenge(() => callerOf(deps, GIT_CREDENTIALS, request));
