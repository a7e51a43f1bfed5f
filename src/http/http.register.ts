import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import { requirePlan } from '../access/access.plan.ts';
import type { Caller } from '../access/caller.ts';
import { rateLimitKeyOf } from '../access/caller.ts';
import { RevokedToken, recordTokenUse } from '../access/token-caller.ts';
import { ApiError, notFound } from '../core/core.errors.ts';
import { currentScope, inScope } from '../core/request-scope.ts';
import type { Deps } from '../deps.ts';
import { refuseInMaintenance } from '../settings/settings.maintenance.ts';
import { API_TOKENS } from './api-tokens.ts';
import { RouteContext } from './context.ts';
import { callerOf, credentialHeaders, hasCredentials, withChallenge } from './http.credentials.ts';
import { secretNames } from './http.mask.ts';
import type { AccessRequest, Context, Route } from './http.route.ts';
import { sendJson } from './http.send.ts';
import type { HttpServices } from './http.services.ts';
import { notFoundIfDeleted } from './not-found-if-deleted.ts';
import { onPlan, paidParameters } from './paid-parameters.ts';
import { compileParams } from './params/coerce.ts';
import { limitedBytes, refuseTooLarge } from './params/params.bytes.ts';
import { queryError } from './params/query.ts';
import { type CacheDependencies, isCacheableCaller } from './response-cache.ts';
import type { PreparedRoute } from './route-match.ts';
import { checkScopes } from './scopes.ts';
import { throttleGroups } from './throttle-groups.ts';
import { absentFields, withoutFields } from './version-changes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once it is known. */
    caller: Caller | null;
    /** Result of authorization, before the body is read. */
    authorization: Authorization | null;
    /** What the response depends on; null if it is not cacheable. */
    cacheDependencies: CacheDependencies | null;
  }
  interface FastifyContextConfig {
    /** Inputs that are masked in the log, as returned by `secretNames`. */
    secrets?: ReadonlySet<string>;
    /** Media type of the route's JSON, if it is not application/json. */
    mediaType?: string | undefined;
  }
}

interface SourcedInput {
  /** Parameters as sent by the client. */
  source: Record<string, unknown>;
  /** Parameters as declared by the route. */
  values: Readonly<Record<string, unknown>>;
}

/** Result of authorization, before the body is read. */
interface Authorization {
  caller: Caller;
  /** Result of the route's access check. */
  scope: object;
  params: Readonly<Record<string, unknown>>;
  /** Null until the body is read, if there is one. */
  input: SourcedInput | null;
  /** Set if the body was still to be read after authorization, with the version of the database at that time. */
  bodyAwaitedAt?: { version: number | null };
  /** Maximum size of a body that is not parsed. */
  limit?: number;
}

const DAY_MS = 86_400_000;
const MAX_KEY = 2_000;

/**
 * Cache key for the authorization of a reading request until the next commit: credentials, URL and day (on which tokens
 * and memberships expire). Null if it depends on more.
 * @param headers headers with the credentials
 */
function authorizationKey(deps: Deps, request: FastifyRequest, headers: readonly string[]): string | null {
  if (request.headers.sudo !== undefined || request.url.length > MAX_KEY) return null;
  const day = Math.floor(deps.clock.now().getTime() / DAY_MS);
  const sent = headers.map((name) => request.headers[name] ?? '');
  return `admission:${day}:${request.method} ${sent.join(' ')} ${request.url}`;
}

const withBody = (request: FastifyRequest): Record<string, unknown> => ({
  ...(request.query as Record<string, unknown>),
  ...(request.body as Record<string, unknown> | undefined),
});

/** Full path of a route: below `/api/v4` unless it is at the root. */
export const routePath = ({ path, root }: Pick<Route['options'], 'path' | 'root'>): string =>
  `${root ? '' : '/api/v4'}${path}`;

/** Prepares a declared route: authentication, rate limits and access before the body, then parameters. */
export function prepareRoute(deps: Deps, services: HttpServices, route: Route): PreparedRoute {
  const { options } = route;
  const { method, access, success, otherSuccess, scopes = [], deprecated, body, credentials = API_TOKENS } = options;
  const readParams = compileParams(Type.Object({ ...access.params, ...(options.params?.properties ?? {}) }) as TObject);
  const readInput = compileParams(options.input ?? Type.Object({}), options.rules);
  const paid = paidParameters(options.input);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isParsed = hasBody && body === undefined;
  const groupsOf = throttleGroups(options);
  const headers = credentialHeaders(credentials);
  const others = 'schema' in success ? (success.alternatives ?? []) : [];
  const types = [options.mediaType ?? 'application/json', ...others] as const;
  // In log and metrics the rest of a path has no name.
  const url = routePath(options).replace(/\*\w+$/, '*');
  const secrets = secretNames(options.input);
  const absent = absentFields(deps.config.reportedVersion, route);
  const acceptsBodyCredentials = isParsed && credentials.methods.some(({ location }) => location.inBody);

  /** Determines caller, permissions and parameters, except for the body. */
  async function examine(request: FastifyRequest, reply: FastifyReply): Promise<Authorization> {
    const error = queryError(request.query);
    if (error !== undefined) throw error;
    const caller = await callerOf(deps, credentials, request).catch(async (error: unknown) => {
      services.throttleFailure(request, reply, groupsOf(request));
      if (error instanceof RevokedToken) await options.onRevokedToken?.(deps, error.token);
      throw error;
    });
    request.caller = caller;
    services.throttleUser(caller, request, reply, groupsOf(request));
    const params = request.params as Record<string, string>;
    // No name can contain a null byte, and PostgreSQL refuses such texts.
    for (const name in params) if (params[name]!.includes('\0')) throw notFound();
    const scope = await authorize(request, caller);
    if (options.plan !== undefined) await checkPlan();
    const query = request.query as Record<string, unknown>;
    const authorization = { caller, scope, params: Object.freeze(readParams(params)) };
    if (isParsed) return { ...authorization, input: null };
    const input = await readSource(query);
    if (body === undefined) return { ...authorization, input };
    const limit = await body.limit({ deps, ...authorization, ...scope });
    refuseTooLarge(request, limit);
    return { ...authorization, input, limit };
  }

  /** @throws ApiError 403 */
  async function checkPlan(): Promise<void> {
    if (options.plan !== undefined) await requirePlan(deps, options.plan);
  }

  /** Runs the access check. @throws ApiError 401, 403, 404 */
  function authorize(request: FastifyRequest, caller: Caller): Promise<object> {
    checkScopes(caller, request.method, scopes);
    return access.check(asked(request, caller));
  }

  /** Input of an access check. */
  function asked(request: FastifyRequest, caller: Caller): AccessRequest {
    const params = request.params as Record<string, string>;
    return { deps, caller, params, values: () => readParams(params), method: request.method, url: request.url };
  }

  /** Authenticates and authorizes the request again. @throws ApiError 401, 403, 404 */
  const reauthorize = (request: FastifyRequest): Promise<Pick<Authorization, 'caller' | 'scope'>> =>
    withChallenge(credentials, async () => {
      const caller = await callerOf(deps, credentials, request);
      request.caller = caller;
      const scope = await authorize(request, caller);
      if (options.plan !== undefined) await checkPlan();
      return { caller, scope };
    });

  /** Reading a body can take long: the request is authorized again afterwards, unless the database is unchanged. */
  async function currentAuthorization(request: FastifyRequest): Promise<Authorization> {
    const authorization = request.authorization!;
    const { bodyAwaitedAt } = authorization;
    if (
      bodyAwaitedAt === undefined ||
      (bodyAwaitedAt.version !== null && bodyAwaitedAt.version === deps.database.version())
    ) {
      return authorization;
    }
    return { ...authorization, ...(await reauthorize(request)) };
  }

  async function readSource(source: Record<string, unknown>): Promise<SourcedInput> {
    const read = { source, values: Object.freeze(readInput(source)) };
    return paid.length === 0 ? read : onPlan(deps, paid, read);
  }

  /** Authorizes before the body is read; callers with credentials in the body are authorized afterwards. */
  async function authorizeRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (options.cacheable !== undefined) request.cacheDependencies = services.responseCache.begin();
    if (hasBody && options.duringMaintenance !== true) refuseInMaintenance(deps);
    if (options.signsIn === true) services.throttleSignIn(request, reply);
    if (acceptsBodyCredentials && !hasCredentials(credentials, request)) return;
    await withChallenge(credentials, () => enter(request, reply));
  }

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!hasCredentials(credentials, request)) services.throttleAddress(request, reply, groupsOf(request));
    const key = hasBody || headers === null ? null : authorizationKey(deps, request, headers);
    const cached = key === null ? undefined : deps.snapshot.peek<Authorization>(key);
    // Other credentials may expire within the day: they are checked each time.
    const known = isCacheableCaller(cached?.value.caller) ? cached : undefined;
    if (known !== undefined) {
      request.caller = known.value.caller;
      services.throttleUser(known.value.caller, request, reply, groupsOf(request));
      if (options.plan !== undefined) await checkPlan();
      await recordTokenUse(deps, known.value.caller, request.ip);
    }
    // Most requests are sent only once, so authorization is cached from the second time on.
    const isRemembered = key !== null && cached === undefined && services.seenRequests.testAndAdd(key);
    request.authorization =
      known?.value ??
      (isRemembered ? await deps.snapshot.get(key, () => examine(request, reply)) : await examine(request, reply));
    const { caller } = request.authorization;
    request.caller = caller;
    if (options.limit !== undefined) services.limitRoute(options.limit, caller, request);
    if (isParsed && !request.raw.complete) request.authorization.bodyAwaitedAt = { version: deps.database.version() };
    if (options.expensive && currentScope().isCounted !== true) {
      const leave = deps.expensive.enter(rateLimitKeyOf(caller, request.ip));
      reply.raw.once('close', leave);
    }
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { held } = request;
    if (request.authorization === null) await withChallenge(credentials, () => enter(request, reply));
    held?.claim();
    try {
      return await work(request, reply);
    } finally {
      await held?.release();
    }
  }

  async function work(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, scope, params, input, limit } = await currentAuthorization(request);
    const { source, values } = input ?? (await readSource(withBody(request)));
    const routeContext = new RouteContext(deps, caller, request, reply, params, values, source);
    if (limit !== undefined) routeContext.bytes = limitedBytes(request.body as Readable | undefined, limit);
    // The function gets a name first: one assigned directly to `routeContext.x` would be allocated among old objects.
    const again = () => reauthorize(request);
    routeContext.reauthorize = again;
    routeContext.types = types;
    const context = Object.assign(routeContext, scope) as Context<TObject, TObject, object>;
    if (deprecated) reply.header('Deprecation', '@1735689600');
    reply.code(success.status);
    let response: unknown;
    try {
      response = await inScope(routeContext.work, () => route.handle(context));
    } catch (error) {
      throw await notFoundIfDeleted(error, method, () => access.check(asked(request, caller)));
    }
    if (reply.sent) return reply;
    if (absent !== null) response = withoutFields(response, absent);
    const sent = otherSuccess?.status === reply.statusCode ? otherSuccess : success;
    if ('empty' in sent && response === undefined) return reply.send();
    if ('contentType' in success) return reply.send(response);
    if (response === undefined) throw new ApiError(500, '500 Internal Server Error');
    if (types.length === 1) return sendJson(request, reply, response);
    const { accepted } = routeContext;
    reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept'].flat().join(', '));
    return /[/+]json$/.test(accepted)
      ? sendJson(request, reply, response, accepted)
      : reply.type(accepted.startsWith('text/') ? `${accepted}; charset=utf-8` : accepted).send(response);
  }

  return {
    url,
    method,
    bodyLimit: options.bodyLimit === 'file' ? deps.config.limits.fileBody : deps.config.limits.body,
    config: {
      secrets,
      spoolTexts: options.bodyLimit === 'file',
      isBytes: body !== undefined,
      mediaType: options.mediaType,
    },
    parsesBody: isParsed,
    authorize: authorizeRequest,
    handle,
  };
}
