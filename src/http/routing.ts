import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { prepareRoute, routeUrl } from './http.register.ts';
import type { Route } from './http.route.ts';
import type { HttpServices } from './http.services.ts';
import { unpackBody } from './params/params.unpack.ts';
import type { PreparedRoute, RouteMatch } from './route-match.ts';
import { RouteTable } from './route-table.ts';

const EVERYTHING = '/api/v4/*';

/** Match of requests without a declared route. */
const NOWHERE: RouteMatch = { url: undefined, bodyLimit: 0, config: {} };
export const isUnknownPath = (request: FastifyRequest): boolean => request.routed === NOWHERE;

/**
 * Serves the declared routes. Those below `/api/v4` are in a table behind a single Fastify route and are prepared at
 * their first request: with some hundreds of routes, Fastify's own preparation took half of the start. The few routes
 * that the table does not support are registered in Fastify.
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
  // Paths that match a route with an open end are left to Fastify, which finds the most specific one.
  const open = routes.flatMap(({ options: { path } }) =>
    path.includes('*') ? [path.slice(0, path.indexOf('*'))] : [],
  );
  const isTaken = ({ options }: Route) =>
    RouteTable.accepts(options) && !open.some((start) => options.path.startsWith(start));
  for (const route of routes) if (isTaken(route)) table.add(route, routeUrl(route.options));

  app.decorateRequest('routed', null);
  // The first of all hooks, so that log and metrics know the route in any case.
  app.addHook('onRequest', (request, _reply, done) => {
    const known = request.routeOptions;
    if (known.url === EVERYTHING) {
      const [path = ''] = request.url.split('?', 1);
      // HEAD is answered like GET: paths with their own HEAD route are in Fastify.
      const match = table.find(request.method === 'HEAD' ? 'GET' : request.method, path);
      request.routed = match === undefined ? NOWHERE : prepare(match.route);
      if (match !== undefined) request.params = match.params;
    } else {
      // Fastify compiles its answer for each request.
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
  // HEAD first: a path's own HEAD route replaces the one derived from GET.
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
