import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendErrorBody } from './http.errors.ts';
import type { HttpServices } from './http.services.ts';
import { NO_ROUTE } from './route-match.ts';
import { MAX_PARAMETER, pathOf, RouteTable } from './route-table.ts';

/** Removed routes whose paths still have other methods: they are 404 instead of 405. */
const removed = new RouteTable<true>();
removed.add('POST', '/api/v4/projects/:id/merge_requests/:merge_request_iid/approvals', () => true);

/** Returns a function that gives the methods of a path, from the routes of the table and those that Fastify knows. */
function methodsOf(app: FastifyInstance, { routes }: HttpServices): (path: string) => readonly string[] | undefined {
  const fixed = new RouteTable<true>();
  app.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat()) fixed.add(each.toUpperCase(), url, () => true);
  });
  return (path) =>
    fixed.methodsOf(path) ?? routes.methodsOf(path)?.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
}

function answer(methods: readonly string[] | undefined, request: FastifyRequest, reply: FastifyReply): void {
  const path = pathOf(request.url);
  if (request.url.startsWith('/api/v3')) {
    const text = 'API V3 is no longer supported. Use API V4 instead.';
    sendErrorBody(reply.code(410), { error: text, message: text });
  } else if (methods === undefined || removed.find(request.method, path) !== undefined) {
    sendErrorBody(reply.code(404), { error: '404 Not Found', message: '404 Not Found' });
  } else if (path.split('/').some((part) => part.length > MAX_PARAMETER)) {
    sendErrorBody(reply.code(414), { message: '414 URI Too Long' });
  } else {
    const allow = [...new Set(methods), 'OPTIONS'].sort().join(', ');
    if (request.method !== 'OPTIONS') {
      sendErrorBody(reply.code(405).header('Allow', allow), { error: '405 Not Allowed', message: '405 Not Allowed' });
      return;
    }
    reply.headers({ Allow: allow, 'Access-Control-Allow-Methods': allow, 'Access-Control-Max-Age': '7200' });
    reply.header('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*');
    reply.code(204).send();
  }
}

/**
 * Answers requests without a route: OPTIONS and 405 with the methods of the path, 404 for unknown paths. Must be called
 * before any route is added.
 */
export function registerFallback(app: FastifyInstance, services: HttpServices): void {
  const methods = methodsOf(app, services);
  const handle = (request: FastifyRequest, reply: FastifyReply): void =>
    answer(methods(pathOf(request.url)), request, reply);
  app.setNotFoundHandler(handle);
  // Answered before the body, which nobody reads without a route.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || request.routed === NO_ROUTE) handle(request, reply);
    else done();
  });
}
