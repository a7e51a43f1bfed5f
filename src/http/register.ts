import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import type { Caller } from '../access/caller.ts';
import { RevokedToken } from '../access/token-caller.ts';
import { ApiError, notFound } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import { authenticate, checkScopes } from './auth.ts';
import { RouteContext } from './context.ts';
import { compileParams } from './params/coerce.ts';
import { queryError } from './params/query.ts';
import type { Context, Route } from './route.ts';
import { sendJson } from './send.ts';
import type { HttpServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who called, once that is known. */
    caller: Caller | null;
    /** What the route's access check found. */
    scope: object | null;
  }
}

/** Fastify's spelling of a path: `*rest` becomes its nameless wildcard. */
export const fastifyPath = (path: string): string => path.replace(/\*\w+$/, '*');
/** Address pattern of a route: below `/api/v4` unless it stands at the server's root. */
export const routeUrl = ({ path, root }: Pick<Route['options'], 'path' | 'root'>): string =>
  `${root ? '' : '/api/v4'}${fastifyPath(path)}`;
const wildcardName = (path: string): string | undefined => /\*(\w+)$/.exec(path)?.[1];

/** Adds a declared route: authentication, rate limits and access before the body, then parameters. */
export function registerRoute(app: FastifyInstance, deps: Deps, services: HttpServices, route: Route): void {
  const { options } = route;
  const { method, access, success, scopes = [], deprecated } = options;
  const rest = wildcardName(options.path);
  const readParams = compileParams(Type.Object({ ...access.params, ...(options.params?.properties ?? {}) }) as TObject);
  const readInput = compileParams(options.input ?? Type.Object({}), options.rules);
  const hasBody = method !== 'GET' && method !== 'HEAD';

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const error = queryError(request.query);
    if (error !== undefined) throw error;
    services.throttleAddress(request, reply);
    const caller = await authenticate(deps, request).catch(async (error: unknown) => {
      services.throttleFailure(request, reply);
      if (error instanceof RevokedToken) await options.onRevokedToken?.(deps, error.token);
      throw error;
    });
    request.caller = caller;
    services.throttleUser(caller, request, reply);
    checkScopes(caller, request.method, scopes);
    const params = request.params as Record<string, string>;
    // No name of anything holds a null byte, and PostgreSQL refuses texts that do.
    for (const name in params) if (params[name]!.includes('\0')) throw notFound();
    if (rest !== undefined) params[rest] = params['*'] ?? '';
    request.scope = await access.check({ deps, caller, params, method: request.method, url: request.url });
    if (options.expensive) {
      const leave = services.expensive.enter(caller.user === null ? request.ip : `user:${caller.user.id}`);
      reply.raw.once('close', leave);
    }
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const params = readParams(request.params as Record<string, unknown>);
    const query = request.query as Record<string, unknown>;
    const source = hasBody ? { ...query, ...(request.body as Record<string, unknown> | undefined) } : query;
    const context = Object.assign(
      new RouteContext(deps, request.caller!, request, reply, params, readInput(source), source),
      request.scope,
    ) as Context<TObject, TObject, object>;
    if (deprecated) reply.header('Deprecation', '@1735689600');
    reply.code(success.status);
    const answer = await route.handle(context);
    if (reply.sent) return reply;
    if ('empty' in success && answer === undefined) return reply.send();
    if ('contentType' in success) return reply.send(answer);
    if (answer === undefined) throw new ApiError(500, '500 Internal Server Error');
    return sendJson(request, reply, answer);
  }

  app.route({
    method,
    url: routeUrl(options),
    exposeHeadRoute: method === 'GET' && !services.hasHeadRoute(options.path),
    ...(options.bodyLimit === 'file' ? { bodyLimit: deps.config.limits.fileBody } : {}),
    onRequest: admit,
    handler: handle,
  });
}
