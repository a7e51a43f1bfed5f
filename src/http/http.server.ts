import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { currentScope } from '../core/request-scope.ts';
import type { Deps } from '../deps.ts';
import { limitConnections } from './connections.ts';
import { registerFallback } from './fallback.ts';
import { sendError } from './http.errors.ts';
import { maskAddress } from './http.mask.ts';
import { Metrics } from './http.metrics.ts';
import type { Route } from './http.route.ts';
import { runtimeOf } from './http.send.ts';
import { HttpServices } from './http.services.ts';
import { type Interceptor, interceptRequests } from './interceptor.ts';
import { registerMonitoring } from './monitoring.ts';
import { registerReference } from './openapi/openapi.serve.ts';
import type { Vocabulary } from './openapi/openapi.words.ts';
import { registerBodyParsers } from './params/body.ts';
import { parseQuery } from './params/query.ts';
import { checkHost, clientErrorHandler, rejectMalformedRequests } from './protocol-errors.ts';
import type { ResponseCacheEntry } from './response-cache.ts';
import { routeMatchOf } from './route-match.ts';
import { MAX_PARAMETER, type PathTree } from './route-table.ts';
import { registerRoutes } from './routing.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { serveCachedResponses } from './serve-cached.ts';
import { TransferMonitor } from './transfer-monitor.ts';

const NO_SECRETS: ReadonlySet<string> = new Set();
const SHOWN_TO_BROWSERS = [
  'Link',
  'X-Total',
  'X-Total-Pages',
  'X-Per-Page',
  'X-Page',
  'X-Next-Page',
  'X-Prev-Page',
  'X-Request-Id',
  'X-Svc-Blob-Id',
  'X-Svc-Commit-Id',
  'X-Svc-Content-Sha256',
  'X-Svc-Encoding',
  'X-Svc-File-Name',
  'X-Svc-File-Path',
  'X-Svc-Last-Commit-Id',
  'X-Svc-Ref',
  'X-Svc-Size',
].join(', ');

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it was logged and counted. */
    ended: boolean;
    /** Whether it is part of another request, or of a seed. */
    isInternal: boolean;
  }
}

/** Status in log and metrics if the client disconnected before the answer. */
const CLIENT_GONE = 499;

export interface HttpServer {
  app: FastifyInstance;
  /**
   * Turns readiness false; requests are still served, but each connection is closed after its answer.
   * @returns resolves when the requests in flight have ended
   */
  drain(): Promise<void>;
}

/** URL as path and query; a client may also send scheme and host, which are ignored (RFC 9112, 3.2). */
const originForm = (url: string): string => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/');

function logLine(deps: Deps, request: FastifyRequest, status: number, seconds: number): void {
  const { caller } = request;
  // One request, or a seed, can make hundreds of them.
  deps.log.log(request.isInternal ? 'debug' : 'info', 'request', {
    correlation_id: request.id,
    method: request.method,
    path: maskAddress(request.originalUrl, routeMatchOf(request).config?.secrets ?? NO_SECRETS),
    status,
    duration_s: Math.round(seconds * 1e6) / 1e6,
    user_id: caller?.user?.id,
    username: caller?.user?.username,
    sudo_by: caller?.sudoBy?.username,
    remote_ip: request.ip,
    ua: request.headers['user-agent'],
    route: routeMatchOf(request).url,
  });
}

/** Monitoring addresses. */
const MONITORING = /^\/-\/(?:health|liveness|readiness|metrics)(?:[/?]|$)/;

/** Fastify requires a validator factory; no route has a schema that would use it. */
const NO_VALIDATOR = (() => () => () => true) as never;

export interface ServerParts {
  routes: readonly Route[];
  /** The paths of these routes and those of the plugins, shared by servers that have the same. */
  paths?: PathTree;
  /** Descriptions for the reference where declarations have none. */
  vocabulary?: () => Promise<Vocabulary>;
  /** Rewrites the URL of a request before routing. */
  rewriteUrl?: (url: string) => string;
  /** Routes outside the API, such as git's. */
  plugins?: readonly ((app: FastifyInstance, deps: Deps, services: HttpServices) => void)[];
  /** Gets every request before all others; null to pass them on at no cost. */
  interceptor?: Interceptor | null;
  /** Classes of the requests and responses that the interceptor gets. */
  messages?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  /** Gets the requests that are answered from the cache, before they are. */
  onCached?: ((request: IncomingMessage, entry: ResponseCacheEntry) => void) | null;
}

const UNSTORED =
  '503 Service Unavailable - the database can no longer be written to disk; check the disk, then restart the server';

/** Replaces an answer by a refusal if it may not survive a restart. @returns the body of the refusal */
function refuseUnstored(reply: FastifyReply): string {
  for (const name of ['content-length', 'etag', 'location']) reply.removeHeader(name);
  reply.code(503).type('application/json').header('Cache-Control', 'no-cache');
  return JSON.stringify({ message: UNSTORED });
}

/** Builds the HTTP server: parsing, hooks, error answers, monitoring, routes. It does not listen yet. */
export function buildServer(
  deps: Deps,
  {
    routes,
    paths,
    vocabulary,
    rewriteUrl = (url) => url,
    plugins = [],
    interceptor = null,
    messages = {},
    onCached = null,
  }: ServerParts,
): HttpServer {
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: deps.config.limits.body,
    trustProxy: deps.config.trustedProxies.length > 0 ? deps.config.trustedProxies : false,
    exposeHeadRoutes: true,
    // Parameters are read by `params/coerce.ts` and answers written by JSON.stringify: Fastify's own compilers would
    // only slow the start down.
    schemaController: {
      compilersFactory: { buildValidator: NO_VALIDATOR, buildSerializer: () => () => JSON.stringify },
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    requestTimeout: 0,
    // Idle connections are closed; pushes and clones send something every few seconds.
    connectionTimeout: 300_000,
    rewriteUrl: ({ url = '/' }) => rewriteUrl(originForm(url)),
    clientErrorHandler: clientErrorHandler(deps.log),
    http: { headersTimeout: 30_000, maxHeaderSize: 64 * 1024, requireHostHeader: false, ...messages },
    routerOptions: {
      maxParamLength: MAX_PARAMETER,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      querystringParser: parseQuery,
    },
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS).header('X-Request-Id', request.id);
      sendError(deps.log, error, request, reply);
    },
  });
  rejectMalformedRequests(app.server, deps.log);
  // Connections that cannot be accepted for lack of file descriptors or memory; `listen` reports other errors.
  app.server.on('error', (error) => {
    if (app.server.listening) deps.log.log('warn', 'a connection could not be accepted', { error: String(error) });
  });
  let ready = true;
  const metrics = new Metrics();
  app.decorateRequest('caller', null);
  app.decorateRequest('authorization', null);
  app.decorateRequest('cacheDependencies', null);
  app.decorateRequest('ended', false);
  app.decorateRequest('isInternal', false);
  app.decorateRequest('transfer', null);
  app.setErrorHandler((error, request, reply) => sendError(deps.log, error, request, reply));
  const services = new HttpServices(deps, routes, paths);
  registerRoutes(app, deps, services, routes);
  const ended = (request: FastifyRequest, reply: FastifyReply, status: number) => {
    if (request.ended) return;
    request.ended = true;
    const seconds = reply.elapsedTime / 1000;
    metrics.ended(request.method, routeMatchOf(request).url ?? 'unknown', status, seconds);
    logLine(deps, request, status, seconds);
  };
  const transfers = new TransferMonitor(deps.config.transfers);
  app.addHook('onRequest', (request, reply, done) => {
    metrics.started();
    request.isInternal = currentScope().isInternal === true;
    transfers.add(request, reply);
    const end = deps.inFlight.begin();
    reply.raw.once('close', () => {
      transfers.remove(request);
      end();
      ended(request, reply, CLIENT_GONE);
    });
    reply.headers(SECURITY_HEADERS);
    reply.header('X-Request-Id', request.id);
    if (!ready) reply.header('Connection', 'close');
    if (request.headers.origin !== undefined) {
      reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', SHOWN_TO_BROWSERS);
    }
    const goOn = () => done(checkHost(request, reply));
    // Liveness is answered without the database.
    const fresh = MONITORING.test(request.url) ? null : deps.settings.fresh();
    if (fresh === null) goOn();
    else void fresh.then(goOn);
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('X-Runtime', runtimeOf(reply));
    if (!ready) reply.header('Connection', 'close');
    const send = () => done(null, payload);
    // Streams are files, and start to flow immediately.
    const onDisk = payload instanceof Readable ? null : deps.database.onDisk();
    if (onDisk === null) send();
    else onDisk.then(send, () => done(null, refuseUnstored(reply)));
  });
  app.addHook('onResponse', (request, reply, done) => {
    ended(request, reply, reply.statusCode);
    done();
  });
  registerFallback(app, services);
  const isCrowded = limitConnections(app, deps.config.limits.connections, deps.config.trustedProxies.length > 0);
  serveCachedResponses(app.server, {
    deps,
    metrics,
    cache: services.responseCache,
    takes: (socket) => ready && !isCrowded(socket),
    onCached,
  });
  if (interceptor !== null) interceptRequests(app.server, interceptor);
  // Clients that wait for 100 Continue get it when the body is needed, after authorization.
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  );
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect !== undefined && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
    transfers.receives(request);
    done(null, payload);
  });
  app.addHook('onClose', (_app, done) => {
    transfers.close();
    done();
  });
  registerBodyParsers(app, deps);
  registerMonitoring(app, deps, metrics, () => ready);
  registerReference(app, deps, routes, vocabulary);
  for (const plugin of plugins) plugin(app, deps, services);
  return {
    app,
    drain: async () => {
      ready = false;
      deps.longPolls.close();
      await Promise.all(transfers.replies().map(({ raw }) => new Promise((resolve) => raw.once('close', resolve))));
    },
  };
}
