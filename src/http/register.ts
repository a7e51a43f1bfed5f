import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import type { Caller } from '../access/caller.ts';
import { shareOf } from '../access/caller.ts';
import { requirePlan } from '../access/plan.ts';
import { noteUse, RevokedToken } from '../access/token-caller.ts';
import { ApiError, notFound } from '../core/errors.ts';
import { currentScope, inScope } from '../core/request-scope.ts';
import type { Deps } from '../deps.ts';
import { refuseInMaintenance } from '../settings/maintenance.ts';
import { API_TOKENS } from './api-tokens.ts';
import { RouteContext } from './context.ts';
import { callerOf, decidingHeaders, orRefusal, saysWho } from './credentials.ts';
import { whatIsGone } from './gone.ts';
import { type Basis, lastsADay } from './lasting-answers.ts';
import { secretNames } from './mask.ts';
import { onPlan, paidParameters } from './paid-parameters.ts';
import { limitedBytes, refuseTooLarge } from './params/bytes.ts';
import { compileParams } from './params/coerce.ts';
import { queryError } from './params/query.ts';
import type { AccessRequest, Context, Route } from './route.ts';
import type { PreparedRoute } from './routed.ts';
import { checkScopes } from './scopes.ts';
import { sendJson } from './send.ts';
import type { HttpServices } from './services.ts';
import { throttleGroups } from './throttle-groups.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who called, once that is known. */
    caller: Caller | null;
    /** What is known of the request before its body is read. */
    admission: Admission | null;
    /** What the answer is made from; null where it does not last. */
    basis: Basis | null;
  }
  interface FastifyContextConfig {
    /** Inputs that the log never shows, as `secretNames` gives them. */
    secrets?: ReadonlySet<string>;
    /** Media type of the route's JSON, where it is not application/json. */
    mediaType?: string | undefined;
  }
}

interface SourcedInput {
  /** Parameters as they were sent. */
  source: Record<string, unknown>;
  /** Parameters as the route declares them. */
  values: Readonly<Record<string, unknown>>;
}

/** What is known of a request before its body is read. */
interface Admission {
  caller: Caller;
  /** What the route's access check found. */
  scope: object;
  params: Readonly<Record<string, unknown>>;
  /** Null until the body has been read, where there is one. */
  input: SourcedInput | null;
  /** Whether a body was still to come when the rights had been looked at, and what the database was by then. */
  waitsAt?: { version: number | null };
  /** Bytes that the body may have, where it is not parsed. */
  limit?: number;
}

const DAY_MS = 86_400_000;
const MAX_KEY = 2_000;

/**
 * Under which the admission of a reading request is remembered until the next commit: all that it depends on beside the
 * database, which is who sent it, the address asked for and the day (on which tokens and memberships end). Null where it
 * depends on more.
 * @param headers that say who sent it
 */
function admissionKey(deps: Deps, request: FastifyRequest, headers: readonly string[]): string | null {
  if (request.headers.sudo !== undefined || request.url.length > MAX_KEY) return null;
  const day = Math.floor(deps.clock.now().getTime() / DAY_MS);
  const sent = headers.map((name) => request.headers[name] ?? '');
  return `admission:${day}:${request.method} ${sent.join(' ')} ${request.url}`;
}

const withBody = (request: FastifyRequest): Record<string, unknown> => ({
  ...(request.query as Record<string, unknown>),
  ...(request.body as Record<string, unknown> | undefined),
});

/** Fastify's spelling of a path: `*rest` becomes its nameless wildcard. */
export const fastifyPath = (path: string): string => path.replace(/\*\w+$/, '*');
/** Address pattern of a route: below `/api/v4` unless it stands at the server's root. */
export const routeUrl = ({ path, root }: Pick<Route['options'], 'path' | 'root'>): string =>
  `${root ? '' : '/api/v4'}${fastifyPath(path)}`;
const wildcardName = (path: string): string | undefined => /\*(\w+)$/.exec(path)?.[1];

/** Makes a declared route ready: authentication, rate limits and access before the body, then parameters. */
export function prepareRoute(deps: Deps, services: HttpServices, route: Route): PreparedRoute {
  const { options } = route;
  const { method, access, success, otherSuccess, scopes = [], deprecated, body, credentials = API_TOKENS } = options;
  const rest = wildcardName(options.path);
  const readParams = compileParams(Type.Object({ ...access.params, ...(options.params?.properties ?? {}) }) as TObject);
  const readInput = compileParams(options.input ?? Type.Object({}), options.rules);
  const paid = paidParameters(options.input);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isParsed = hasBody && body === undefined;
  const groupsOf = throttleGroups(options);
  const headers = decidingHeaders(credentials);
  const others = 'schema' in success ? (success.alternatives ?? []) : [];
  const types = [options.mediaType ?? 'application/json', ...others] as const;
  const url = routeUrl(options);
  const secrets = secretNames(options.input);
  const isToldInBody = isParsed && credentials.ways.some(({ place }) => place.inBody);

  /** Who calls, what they may do, and with what: everything but the body. */
  async function examine(request: FastifyRequest, reply: FastifyReply): Promise<Admission> {
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
    // No name of anything holds a null byte, and PostgreSQL refuses texts that do.
    for (const name in params) if (params[name]!.includes('\0')) throw notFound();
    if (rest !== undefined) params[rest] = params['*'] ?? '';
    const scope = await authorize(request, caller);
    if (options.plan !== undefined) await checkPlan();
    const query = request.query as Record<string, unknown>;
    const admission = { caller, scope, params: Object.freeze(readParams(params)) };
    if (isParsed) return { ...admission, input: null };
    const input = await readSource(query);
    if (body === undefined) return { ...admission, input };
    const limit = await body.limit({ deps, ...admission, ...scope });
    refuseTooLarge(request, limit);
    return { ...admission, input, limit };
  }

  /** @throws ApiError 403 */
  async function checkPlan(): Promise<void> {
    if (options.plan !== undefined) await requirePlan(deps, options.plan);
  }

  /** What the access check finds. @throws ApiError 401, 403, 404 */
  function authorize(request: FastifyRequest, caller: Caller): Promise<object> {
    checkScopes(caller, request.method, scopes);
    return access.check(asked(request, caller));
  }

  /** What an access check is asked. */
  function asked(request: FastifyRequest, caller: Caller): AccessRequest {
    const params = request.params as Record<string, string>;
    return { deps, caller, params, values: () => readParams(params), method: request.method, url: request.url };
  }

  /** Who sends the request and what they may do, as it is now. @throws ApiError 401, 403, 404 */
  const lookAgain = (request: FastifyRequest): Promise<Pick<Admission, 'caller' | 'scope'>> =>
    orRefusal(credentials, async () => {
      const caller = await callerOf(deps, credentials, request);
      request.caller = caller;
      const scope = await authorize(request, caller);
      if (options.plan !== undefined) await checkPlan();
      return { caller, scope };
    });

  /** A body may take long: whoever sent it is looked at again, unless nothing was written to the database meanwhile. */
  async function admittedStill(request: FastifyRequest): Promise<Admission> {
    const admission = request.admission!;
    const { waitsAt } = admission;
    if (waitsAt === undefined || (waitsAt.version !== null && waitsAt.version === deps.database.version())) {
      return admission;
    }
    return { ...admission, ...(await lookAgain(request)) };
  }

  async function readSource(source: Record<string, unknown>): Promise<SourcedInput> {
    const read = { source, values: Object.freeze(readInput(source)) };
    return paid.length === 0 ? read : onPlan(deps, paid, read);
  }

  /** Before the body is read; but who says only there who they are, is let in once it has been. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (options.lasting !== undefined) request.basis = services.lasting.begin();
    if (hasBody && options.duringMaintenance !== true) refuseInMaintenance(deps);
    if (options.signsIn === true) services.throttleSignIn(request, reply);
    if (isToldInBody && !saysWho(credentials, request)) return;
    await orRefusal(credentials, () => enter(request, reply));
  }

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!saysWho(credentials, request)) services.throttleAddress(request, reply, groupsOf(request));
    const key = hasBody || headers === null ? null : admissionKey(deps, request, headers);
    const found = key === null ? undefined : deps.snapshot.peek<Admission>(key);
    // All others may end within a day: they are examined each time.
    const known = lastsADay(found?.value.caller) ? found : undefined;
    if (known !== undefined) {
      request.caller = known.value.caller;
      services.throttleUser(known.value.caller, request, reply, groupsOf(request));
      if (options.plan !== undefined) await checkPlan();
      await noteUse(deps, known.value.caller, request.ip);
    }
    // Most that is asked once is not asked again: it is remembered from the second time on.
    const isRemembered = key !== null && found === undefined && services.asked.again(key);
    request.admission =
      known?.value ??
      (isRemembered ? await deps.snapshot.get(key, () => examine(request, reply)) : await examine(request, reply));
    const { caller } = request.admission;
    request.caller = caller;
    if (options.limit !== undefined) services.limitRoute(options.limit, caller, request);
    if (isParsed && !request.raw.complete) request.admission.waitsAt = { version: deps.database.version() };
    if (options.expensive && currentScope().isCounted !== true) {
      const leave = deps.expensive.enter(shareOf(caller, request.ip));
      reply.raw.once('close', leave);
    }
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { held } = request;
    if (request.admission === null) await orRefusal(credentials, () => enter(request, reply));
    held?.claim();
    try {
      return await work(request, reply);
    } finally {
      await held?.release();
    }
  }

  async function work(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, scope, params, input, limit } = await admittedStill(request);
    const { source, values } = input ?? (await readSource(withBody(request)));
    const given = new RouteContext(deps, caller, request, reply, params, values, source);
    if (limit !== undefined) given.bytes = limitedBytes(request.body as Readable | undefined, limit);
    // Functions get a name of their own first: one written right behind `given.x =` is made among old objects.
    const again = () => lookAgain(request);
    given.admitAgain = again;
    given.types = types;
    const context = Object.assign(given, scope) as Context<TObject, TObject, object>;
    if (deprecated) reply.header('Deprecation', '@1735689600');
    reply.code(success.status);
    let answer: unknown;
    try {
      answer = await inScope(given.work, () => route.handle(context));
    } catch (error) {
      throw await whatIsGone(error, method, () => access.check(asked(request, caller)));
    }
    if (reply.sent) return reply;
    const sent = otherSuccess?.status === reply.statusCode ? otherSuccess : success;
    if ('empty' in sent && answer === undefined) return reply.send();
    if ('contentType' in success) return reply.send(answer);
    if (answer === undefined) throw new ApiError(500, '500 Internal Server Error');
    if (types.length === 1) return sendJson(request, reply, answer);
    const { accepted } = given;
    reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept'].flat().join(', '));
    return /[/+]json$/.test(accepted)
      ? sendJson(request, reply, answer, accepted)
      : reply.type(accepted.startsWith('text/') ? `${accepted}; charset=utf-8` : accepted).send(answer);
  }

  return {
    url,
    bodyLimit: options.bodyLimit === 'file' ? deps.config.limits.fileBody : deps.config.limits.body,
    config: {
      secrets,
      spoolTexts: options.bodyLimit === 'file',
      isBytes: body !== undefined,
      mediaType: options.mediaType,
    },
    parsesBody: isParsed,
    admit,
    handle,
  };
}
