import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendErrorBody } from './http.errors.ts';
import { routeUrl } from './http.register.ts';
import type { Route } from './http.route.ts';
import { MAX_PARAMETER } from './route-table.ts';
import { isUnknownPath } from './routing.ts';

/** Removed routes whose paths still have other methods: they are 404 instead of 405. */
const REMOVED = [{ method: 'POST', path: /^\/api\/v4\/projects\/[^/]+\/merge_requests\/[^/]+\/approvals$/ }];

/** A path with routes, and its methods. */
interface KnownPath {
  pattern: RegExp;
  /** Orders patterns of the same path as the router does: fixed text before parameters, segment by segment. */
  rank: string;
  methods: Set<string>;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function knownPath(url: string): KnownPath {
  const segments = url.split('/');
  const source = segments.map((segment) =>
    segment === '*'
      ? '.*'
      : segment
          .split(/(:\w+)/)
          .map((part) => (part.startsWith(':') ? '[^/]+' : escaped(part)))
          .join(''),
  );
  const rank = segments.map((segment) => (segment === '*' ? 'c' : segment.includes(':') ? 'b' : 'a')).join('');
  return { pattern: new RegExp(`^${source.join('/')}$`), rank, methods: new Set() };
}

/** The path as the router sees it: without repeated or trailing slashes. */
const plainPath = (url: string): string =>
  url
    .split('?')[0]!
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1');

const isRemoved = ({ method, url }: FastifyRequest): boolean =>
  REMOVED.some((each) => each.method === method && each.path.test(plainPath(url)));

interface Endpoint {
  method: string;
  url: string;
}

function knownPaths(endpoints: readonly Endpoint[]): KnownPath[] {
  const paths = new Map<string, KnownPath>();
  for (const { method, url } of endpoints) {
    const path = paths.get(url) ?? knownPath(url);
    paths.set(url, path);
    path.methods.add(method);
  }
  return [...paths.values()];
}

/** Returns a function that gives the methods of a path, from declared routes and those added to the app later. */
function methodsOf(app: FastifyInstance, routes: readonly Route[]): (path: string) => ReadonlySet<string> | undefined {
  const endpoints: Endpoint[] = routes.flatMap(({ options }) => {
    const methods = options.method === 'GET' ? ['GET', 'HEAD'] : [options.method];
    return methods.map((method) => ({ method, url: routeUrl(options) }));
  });
  app.addHook('onRoute', ({ url, method }) => {
    endpoints.push(...[method].flat().map((each) => ({ method: each.toUpperCase(), url })));
  });
  let paths: readonly KnownPath[] | undefined;
  return (path) => {
    // Computed at the first use: most servers never need it.
    paths ??= knownPaths(endpoints);
    let best: KnownPath | undefined;
    for (const known of paths)
      if ((best === undefined || known.rank < best.rank) && known.pattern.test(path)) best = known;
    return best?.methods;
  };
}

function answer(methods: ReadonlySet<string> | undefined, request: FastifyRequest, reply: FastifyReply): void {
  if (request.url.startsWith('/api/v3')) {
    const text = 'API V3 is no longer supported. Use API V4 instead.';
    sendErrorBody(reply.code(410), { error: text, message: text });
  } else if (methods === undefined || isRemoved(request)) {
    sendErrorBody(reply.code(404), { error: '404 Not Found', message: '404 Not Found' });
  } else if (
    plainPath(request.url)
      .split('/')
      .some((part) => part.length > MAX_PARAMETER)
  ) {
    sendErrorBody(reply.code(414), { message: '414 URI Too Long' });
  } else {
    const allow = [...methods, 'OPTIONS'].sort().join(', ');
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
export function registerFallback(app: FastifyInstance, routes: readonly Route[]): void {
  const methods = methodsOf(app, routes);
  const handle = (request: FastifyRequest, reply: FastifyReply): void =>
    answer(methods(plainPath(request.url)), request, reply);
  app.setNotFoundHandler(handle);
  // Answered before the body, which nobody reads without a route.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || isUnknownPath(request)) handle(request, reply);
    else done();
  });
}
