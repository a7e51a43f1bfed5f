import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { prepareRoute, routeUrl } from './http.register.ts';
import type { Route } from './http.route.ts';
import type { HttpServices } from './http.services.ts';
import { unpackBody } from './params/params.unpack.ts';
import type { PreparedRoute, RouteMatch } from './route-match.ts';
import { RouteTable } from './route-table.ts';

const EVERYTHING = '/api/v4/*';

/** Where a path leads that no declared route is for. */
const NOWHERE: RouteMatch = { url: undefined, bodyLimit: 0, config: {} };
export const isUnknownPath = (request: FastifyRequest): boolean => request.routed === NOWHERE;

/**
 * Serves the declared routes. Those below `/api/v4` stand in a table behind a single route of Fastify's, and are prepared
 * when they are first called: what Fastify keeps and compiles for a route took half of the time of a start, with some
 * hundreds of them. The few that the table does not take are given to Fastify one by one.
 */
export function registerRoutes(
  app: FastifyInstance,
  deps: Deps,
  services: HttpServices,
  routes: readonly Route[],
): void {
  const table = new RouteTable();
  const prepared = new Map<Route, PreparedRoute>();
  const prepare = (route: Route): PreparedRoute => {
    const known = prepared.get(route) ?? prepareRoute(deps, services, route);
    prepared.set(route, known);
    return known;
  };
  // Whatever a path with an open end matches is with Fastify, which knows the closer one.
  const open = routes.flatMap(({ options: { path } }) =>
    path.includes('*') ? [path.slice(0, path.indexOf('*'))] : [],
  );
  const isTaken = ({ options }: Route) =>
    RouteTable.accepts(options) && !open.some((start) => options.path.startsWith(start));
  for (const route of routes) if (isTaken(route)) table.add(route, routeUrl(route.options));

  app.decorateRequest('routed', null);
  // The first of all hooks, so that log and metrics know the route whatever becomes of the request.
  app.addHook('onRequest', (request, _reply, done) => {
    const known = request.routeOptions;
    if (known.url === EVERYTHING) {
      const [path = ''] = request.url.split('?', 1);
      // HEAD is answered as GET is: those with a route of their own are with Fastify.
      const found = table.find(request.method === 'HEAD' ? 'GET' : request.method, path);
      request.routed = found === undefined ? NOWHERE : prepare(found.route);
      if (found !== undefined) request.params = found.params;
    } else {
      // Fastify makes its answer anew for each who asks.
      request.routed = known;
    }
    done();
  });
  const routed = (request: FastifyRequest) => request.routed as PreparedRoute;
  const authorize = (request: FastifyRequest, reply: FastifyReply) => routed(request).authorize(request, reply);
  const handle = (request: FastifyRequest, reply: FastifyReply) => routed(request).handle(request, reply);
  app.route({ method: 'GET', url: EVERYTHING, onRequest: authorize, handler: handle });
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: EVERYTHING,
    onRequest: authorize,
    preParsing: async (request, reply, payload) =>
      routed(request).parsesBody ? unpackBody(request, reply, payload as never) : payload,
    handler: handle,
  });
  const others = routes.filter((route) => !isTaken(route));
  // HEAD first: a path's own HEAD route replaces the one that is derived from GET.
  others.sort((a, b) => Number(b.options.method === 'HEAD') - Number(a.options.method === 'HEAD'));
  for (const route of others) addRoute(app, services, route, prepare(route));
}

function addRoute(app: FastifyInstance, services: HttpServices, { options }: Route, route: PreparedRoute): void {
  const { method, path } = options;
  const { url, bodyLimit, config, parsesBody, authorize, handle } = route;
  app.route({
    method,
    url: url!,
    exposeHeadRoute: method === 'GET' && !services.hasHeadRoute(path),
    bodyLimit,
    config,
    onRequest: authorize,
    ...(parsesBody ? { preParsing: unpackBody } : {}),
    handler: handle,
  });
}
