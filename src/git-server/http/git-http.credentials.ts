import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { ApiError } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { basic, bearer } from '../../http/credential-locations.ts';
import { type Credentials, callerOf, withChallenge } from '../../http/http.credentials.ts';
import { accessToken, deployToken, jobToken, password } from '../../http/secret-kinds.ts';

const DENIED =
  'HTTP Basic: Access denied. Use a token as the password (with any user name), or a user name and password.';

/** Credentials accepted from git clients. Any 401 makes git prompt for them. */
export const GIT_CREDENTIALS: Credentials = {
  methods: [
    { name: 'bearer', location: bearer, description: 'An access token or an OAuth token.', kinds: [accessToken] },
    {
      name: 'basic',
      location: basic,
      description:
        'An access token or a job token as the password, with any user name; the user name and token of a deploy token; or a user name and password.',
      kinds: [accessToken, jobToken, deployToken, password],
    },
  ],
  challenge: () => new ApiError(401, DENIED, {}, { 'WWW-Authenticate': 'Basic realm="Stithy"' }),
};

/** Runs work that may require authentication. @throws ApiError; a 401 carries the challenge that makes git prompt */
export const withGitChallenge = <T>(work: () => Promise<T>): Promise<T> => withChallenge(GIT_CREDENTIALS, work);

/** Authenticates a git request; anonymous without credentials. @throws ApiError 401, 403, 429 */
export const gitCaller = (deps: Deps, request: FastifyRequest): Promise<Caller> =>
  withGitChallenge(() => callerOf(deps, GIT_CREDENTIALS, request));
