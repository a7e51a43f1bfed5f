import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Stands before all requests, those of git and those answered from the cache included.
 * @param next passes the request on; call it once, at any time, or answer the request without it
 */
export type Interceptor<
  Request extends IncomingMessage = IncomingMessage,
  Response extends ServerResponse = ServerResponse,
> = (request: Request, response: Response, next: () => void) => void;

/** Sends all requests of a server through an interceptor. */
export function interceptRequests(server: Server, interceptor: Interceptor): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    interceptor(request, response, () => {
      for (const other of others) other(request, response);
    }),
  );
}

/** Interceptors one after the other, as one. */
export const chainInterceptors =
  <Request extends IncomingMessage, Response extends ServerResponse>(
    chain: readonly Interceptor<Request, Response>[],
  ): Interceptor<Request, Response> =>
  (request, response, next) => {
    const goOn = (at: number): void => {
      const interceptor = chain[at];
      if (interceptor === undefined) next();
      else interceptor(request, response, () => goOn(at + 1));
    };
    goOn(0);
  };
