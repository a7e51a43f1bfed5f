import { Readable } from 'node:stream';
import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { prepareRoute, routePath } from './http.register.ts';
import type { Route } from './http.route.ts';
import type { HttpServices } from './http.services.ts';
import { unpackBody } from './params/params.unpack.ts';
import { NO_ROUTE, type PreparedRoute } from './route-match.ts';
import { pathOf } from './route-table.ts';

const EVERYTHING = '/*';

const routed = (request: FastifyRequest) => request.routed as PreparedRoute;

/** Removes the body of an answer of a GET route to HEAD, as Fastify does for its routes. */
function sendHead(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes): void {
  const isOwn = routed(request).method === 'HEAD';
  if (payload instanceof Readable && !isOwn) payload.on('error', () => {}).resume();
  else if (!isOwn) reply.header('content-length', Buffer.byteLength((payload as string | Buffer | undefined) ?? ''));
  done(null, isOwn ? payload : null);
}

/**
 * Serves the routes of `services.routes`, to which this adds the declared ones, behind a few Fastify routes for any
 * path. Fastify itself only knows fixed addresses of the server, such as those of its health and of git.
 */
export function registerRoutes(
  app: FastifyInstance,
  deps: Deps,
  services: HttpServices,
  routes: readonly Route[],
): void {
  for (const route of routes) {
    const { options } = route;
    services.routes.add(options.method, routePath(options), () => prepareRoute(deps, services, route));
  }
  app.decorateRequest('routed', null);
  // The first of all hooks, so that log and metrics know the route in any case.
  app.addHook('onRequest', (request, _reply, done) => {
    const known = request.routeOptions;
    if (known.url === EVERYTHING) {
      const match = services.routes.find(request.method, pathOf(request.url));
      request.routed = match?.route ?? NO_ROUTE;
      if (match !== undefined) request.params = match.params;
    } else {
      // Fastify compiles its answer for each request.
      request.routed = known;
    }
    done();
  });
  const authorize = (request: FastifyRequest, reply: FastifyReply) => routed(request).authorize(request, reply);
  const handle = (request: FastifyRequest, reply: FastifyReply) => routed(request).handle(request, reply);
  app.route({ method: 'GET', url: EVERYTHING, exposeHeadRoute: false, onRequest: authorize, handler: handle });
  app.route({ method: 'HEAD', url: EVERYTHING, onRequest: authorize, onSend: sendHead, handler: handle });
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: EVERYTHING,
    onRequest: authorize,
    preParsing: async (request, reply, payload) =>
      routed(request).parsesBody ? unpackBody(request, reply, payload as never) : payload,
    handler: handle,
  });
}
