import type { FastifyInstance } from 'fastify';
import type { InjectOptions, Response } from 'light-my-request';
import { inScope, type RequestScope } from '../core/request-scope.ts';

/**
 * Sends a request to the server of this process, without a connection, in a scope.
 * @param options as of light-my-request
 * @throws the reason of an aborted signal
 */
export const injectRequest = (
  app: Pick<FastifyInstance, 'inject'>,
  scope: RequestScope,
  options: InjectOptions,
): Promise<Response> =>
  // What `inject` returns begins when it is awaited, which has to be within the scope.
  inScope({ ...scope, isInternal: true }, async () => await app.inject(options));
