import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { ApiError } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { basic, bearer } from '../../http/credential-locations.ts';
import { type Credentials, callerOf, withChallenge } from '../../http/http.credentials.ts';
import { accessToken, deployToken, jobToken, password } from '../../http/secret-kinds.ts';

const DENIED = 'HTTP Basic: Access denied. Give a token as the password (any user name), or a user name and password.';

/** How git and its like say who they are; any 401 makes git ask its user. */
export const GIT_CREDENTIALS: Credentials = {
  methods: [
    { name: 'bearer', location: bearer, description: 'An access token or an OAuth token.', kinds: [accessToken] },
    {
      name: 'basic',
      location: basic,
      description:
        'An access token, or the token of a job, as the password with any user name; the name and token of a deploy token; or a user name and password.',
      kinds: [accessToken, jobToken, deployToken, password],
    },
  ],
  challenge: () => new ApiError(401, DENIED, {}, { 'WWW-Authenticate': 'Basic realm="Stithy"' }),
};

/** Runs what may find that the caller has to say who they are. @throws ApiError; for 401 one that makes git ask its user */
export const withGitChallenge = <T>(work: () => Promise<T>): Promise<T> => withChallenge(GIT_CREDENTIALS, work);

/** Who sent a git request; anonymous where it does not say. @throws ApiError 401, 403, 429 */
export const gitCaller = (deps: Deps, request: FastifyRequest): Promise<Caller> =>
  withGitChallenge(() => callerOf(deps, GIT_CREDENTIALS, request));
