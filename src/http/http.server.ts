import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { limitConnections } from './connections.ts';
import { registerFallback } from './fallback.ts';
import { sendError } from './http.errors.ts';
import { maskAddress } from './http.mask.ts';
import { Metrics } from './http.metrics.ts';
import type { Route } from './http.route.ts';
import { runtimeOf } from './http.send.ts';
import { HttpServices } from './http.services.ts';
import { registerMonitoring } from './monitoring.ts';
import { registerReference } from './openapi/openapi.serve.ts';
import type { Vocabulary } from './openapi/openapi.words.ts';
import { registerBodyParsers } from './params/body.ts';
import { parseQuery } from './params/query.ts';
import { checkHost, clientErrorHandler, rejectMalformedRequests } from './protocol-errors.ts';
import { routeMatchOf } from './route-match.ts';
import { MAX_PARAMETER } from './route-table.ts';
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
    /** Whether log and metrics have it. */
    ended: boolean;
  }
}

/** Status in log and metrics of a request whose client did not wait for the answer. */
const CLIENT_GONE = 499;

export interface HttpServer {
  app: FastifyInstance;
  /**
   * Turns readiness false; requests are still served, but each connection ends with its answer.
   * @returns when the requests that are under way now have ended
   */
  drain(): Promise<void>;
}

/** Address as path and query; a client may also send it with scheme and host, which count for nothing (RFC 9112, 3.2). */
const originForm = (url: string): string => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/');

function logLine(deps: Deps, request: FastifyRequest, status: number, seconds: number): void {
  const { caller } = request;
  deps.log.log('info', 'request', {
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

/** What is asked whether the server lives. */
const MONITORING = /^\/-\/(?:health|liveness|readiness|metrics)(?:[/?]|$)/;

/** Fastify asks for a factory of Ajv's kind; no route of ours has a schema that would reach it. */
const NO_VALIDATOR = (() => () => () => true) as never;

export interface ServerParts {
  routes: readonly Route[];
  /** What the reference says where a declaration says nothing. */
  vocabulary?: () => Promise<Vocabulary>;
  /** Turns the address of a request into the one that is routed. */
  rewriteUrl?: (url: string) => string;
  /** Routes that are no part of the API, such as git's. */
  plugins?: readonly ((app: FastifyInstance, deps: Deps, services: HttpServices) => void)[];
}

const UNSTORED =
  '503 Service Unavailable - the database can no longer be put on disk; see to the disk, then start the server again';

/** Puts a refusal in the place of an answer of which nobody knows whether it will still be so after a start. @returns its body */
function refuseUnstored(reply: FastifyReply): string {
  for (const name of ['content-length', 'etag', 'location']) reply.removeHeader(name);
  reply.code(503).type('application/json').header('Cache-Control', 'no-cache');
  return JSON.stringify({ message: UNSTORED });
}

/** Builds the HTTP server: parsing, hooks, error answers, monitoring, routes. It does not listen yet. */
export function buildServer(
  deps: Deps,
  { routes, vocabulary, rewriteUrl = (url) => url, plugins = [] }: ServerParts,
): HttpServer {
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: deps.config.limits.body,
    trustProxy: deps.config.trustedProxies.length > 0 ? deps.config.trustedProxies : false,
    exposeHeadRoutes: true,
    // Parameters are read by `params/coerce.ts` and answers written by JSON.stringify: Fastify's own compilers would
    // only cost time at the start.
    schemaController: {
      compilersFactory: { buildValidator: NO_VALIDATOR, buildSerializer: () => () => JSON.stringify },
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    requestTimeout: 0,
    // A connection on which nothing moves any more is given up; pushes and clones send something every few seconds.
    connectionTimeout: 300_000,
    rewriteUrl: ({ url = '/' }) => rewriteUrl(originForm(url)),
    clientErrorHandler: clientErrorHandler(deps.log),
    http: { headersTimeout: 30_000, maxHeaderSize: 64 * 1024, requireHostHeader: false },
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
  // A connection that cannot be taken for want of file descriptors or memory; who listens is told of other errors by `listen`.
  app.server.on('error', (error) => {
    if (app.server.listening) deps.log.log('warn', 'a connection could not be taken', { error: String(error) });
  });
  let ready = true;
  const metrics = new Metrics();
  app.decorateRequest('caller', null);
  app.decorateRequest('authorization', null);
  app.decorateRequest('cacheDependencies', null);
  app.decorateRequest('ended', false);
  app.decorateRequest('transfer', null);
  app.setErrorHandler((error, request, reply) => sendError(deps.log, error, request, reply));
  const services = new HttpServices(deps, routes);
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
    // Whether the server lives is told without its database.
    const fresh = MONITORING.test(request.url) ? null : deps.settings.fresh();
    if (fresh === null) goOn();
    else void fresh.then(goOn);
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('X-Runtime', runtimeOf(reply));
    if (!ready) reply.header('Connection', 'close');
    const send = () => done(null, payload);
    // What comes in pieces is files, and begins to flow at once.
    const onDisk = payload instanceof Readable ? null : deps.database.onDisk();
    if (onDisk === null) send();
    else onDisk.then(send, () => done(null, refuseUnstored(reply)));
  });
  app.addHook('onResponse', (request, reply, done) => {
    ended(request, reply, reply.statusCode);
    done();
  });
  registerFallback(app, routes);
  const isCrowded = limitConnections(app, deps.config.limits.connections, deps.config.trustedProxies.length > 0);
  serveCachedResponses(app.server, {
    deps,
    metrics,
    cache: services.responseCache,
    takes: (socket) => ready && !isCrowded(socket),
  });
  // Who waits for 100 Continue is told to go on when the body is wanted, which is once its sender has been let in.
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
