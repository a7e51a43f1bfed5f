import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendErrorBody } from './errors.ts';

/** A path that there are routes for, with its methods. */
interface KnownPath {
  pattern: RegExp;
  /** Tells of two patterns for one path which the router takes: fixed text goes before a parameter, segment by segment. */
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

/** The path as the router sees it: without doubled slashes and without one at the end. */
const plainPath = (url: string): string =>
  url
    .split('?')[0]!
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1');

/** Which methods a path answers to, by the routes that are added to the app from now on. */
function methodsOf(app: FastifyInstance): (path: string) => ReadonlySet<string> | undefined {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = paths.get(url) ?? knownPath(url);
    paths.set(url, path);
    for (const each of [method].flat()) path.methods.add(each.toUpperCase());
  });
  return (path) => {
    let best: KnownPath | undefined;
    for (const known of paths.values())
      if ((best === undefined || known.rank < best.rank) && known.pattern.test(path)) best = known;
    return best?.methods;
  };
}

function answer(methods: ReadonlySet<string> | undefined, request: FastifyRequest, reply: FastifyReply): void {
  if (request.url.startsWith('/api/v3')) {
    const text = 'API V3 is no longer supported. Use API V4 instead.';
    sendErrorBody(reply.code(410), { error: text, message: text });
  } else if (methods === undefined) {
    sendErrorBody(reply.code(404), { error: '404 Not Found', message: '404 Not Found' });
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
 * Answers what no route is for: OPTIONS and 405 with the methods of that very path, 404 for a path that nobody knows.
 * Call it before any route is added.
 */
export function registerFallback(app: FastifyInstance): void {
  const methods = methodsOf(app);
  const handle = (request: FastifyRequest, reply: FastifyReply): void =>
    answer(methods(plainPath(request.url)), request, reply);
  app.setNotFoundHandler(handle);
  // Answered before the body: what has no route is nobody's to read.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) handle(request, reply);
    else done();
  });
}
