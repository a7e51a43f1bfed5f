import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { Deps } from '../deps.ts';
import { authenticate } from './auth.ts';

/** Ways to say who one is, as the OpenAPI document describes them. */
export const SECURITY_SCHEMES = {
  privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN', description: 'An access token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token or an OAuth token.' },
  privateTokenQuery: { type: 'apiKey', in: 'query', name: 'private_token', description: 'An access token.' },
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'An access token as the password with any user name, the name and token of a deploy token, or a user name and password.',
  },
} as const;

/** How callers of a route say who they are. */
export interface Credentials {
  /** Of these schemes any one will do. */
  readonly security: readonly (keyof typeof SECURITY_SCHEMES)[];
  /** Who sent the request; anonymous where it does not say. @throws ApiError 401, 403, 404, 429 */
  caller(deps: Deps, request: FastifyRequest): Promise<Caller>;
}

/** The API's own way: tokens in a header or in the query string. */
export const API_TOKENS: Credentials = {
  security: ['privateToken', 'bearer', 'privateTokenQuery'],
  caller: authenticate,
};
