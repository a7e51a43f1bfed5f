import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, rateLimitKeyOf } from '../access/caller.ts';
import { SeenFilter } from '../core/cache/index.ts';
import { onForget } from '../core/forgetting.ts';
import { type Throttle, WindowCounter } from '../core/limiters.ts';
import { currentScope } from '../core/request-scope.ts';
import type { Deps } from '../deps.ts';
import { effectiveThrottle, type ThrottleGroup, throttleOf } from '../settings/throttles.ts';
import { API_TOKENS } from './api-tokens.ts';
import { credentialHeaders } from './http.credentials.ts';
import type { Route, RouteLimit } from './http.route.ts';
import { applyThrottle } from './rate-limit.ts';
import { ResponseCache } from './response-cache.ts';
import type { PreparedRoute } from './route-match.ts';
import { type PathTree, RouteTable } from './route-table.ts';

/** Headers on which cacheable answers of a route depend. */
function lastingHeaders({ options: { cacheable, credentials = API_TOKENS } }: Route): readonly string[] {
  return cacheable === undefined ? [] : [...cacheable, ...(credentialHeaders(credentials) ?? [])];
}

/** Shared state of all routes: throttles and limits. */
export class HttpServices {
  /** All routes but those of fixed addresses, which Fastify knows. */
  readonly routes: RouteTable<PreparedRoute>;
  readonly responseCache: ResponseCache;
  /** Recent requests by caller. */
  readonly seenRequests: SeenFilter = new SeenFilter();
  readonly #deps: Deps;
  readonly #counter = new WindowCounter();

  /** @param paths shared by servers with the same routes */
  constructor(deps: Deps, routes: readonly Route[], paths?: PathTree) {
    this.#deps = deps;
    this.routes = new RouteTable(paths);
    onForget(deps.db, () => this.#counter.clear());
    this.responseCache = new ResponseCache(deps, [...new Set(routes.flatMap(lastingHeaders))]);
  }

  /** Counts requests without credentials, by address. @throws Throttled */
  throttleAddress(request: FastifyRequest, reply: FastifyReply, groups: readonly ThrottleGroup[]): void {
    this.#apply('unauthenticated', groups, () => request.ip, reply);
  }

  /** Counts requests with refused credentials, by address. @throws Throttled */
  throttleFailure(request: FastifyRequest, reply: FastifyReply, groups: readonly ThrottleGroup[]): void {
    this.#apply('unauthenticated', groups, () => request.ip, reply);
  }

  /** Counts requests of authenticated users. @throws Throttled */
  throttleUser(caller: Caller, request: FastifyRequest, reply: FastifyReply, groups: readonly ThrottleGroup[]): void {
    if (caller.credential.kind === 'none') return;
    const key = () => (caller.user === null ? rateLimitKeyOf(caller, request.ip) : String(caller.user.id));
    this.#apply('authenticated', groups, key, reply);
  }

  /** Counts sign-in requests, by address and by the user they claim. @throws Throttled */
  throttleSignIn(request: FastifyRequest, reply: FastifyReply): void {
    const throttle = throttleOf(this.#deps.settings.now, 'protected_paths');
    this.#count(throttle, 'throttle_unauthenticated_protected_paths', request.ip, reply);
  }

  /** Counts requests of a route with its own rate limit. @throws ApiError 429 */
  limitRoute({ setting, periodSeconds, anonymous }: RouteLimit, caller: Caller, request: FastifyRequest): void {
    if (anonymous === true && caller.credential.kind !== 'none') return;
    const { limiter, settings } = this.#deps;
    limiter.check(setting, rateLimitKeyOf(caller, request.ip), { requests: settings.now[setting], periodSeconds });
  }

  #apply(
    kind: 'authenticated' | 'unauthenticated',
    groups: readonly ThrottleGroup[],
    key: () => string,
    reply: FastifyReply,
  ): void {
    // What it is part of was counted.
    if (currentScope().isInternal === true) return;
    const effective = effectiveThrottle(this.#deps.settings.now, kind, groups);
    if (effective !== undefined) this.#count(effective.throttle, `throttle_${effective.name}`, key(), reply);
  }

  #count(throttle: Throttle, name: string, key: string, reply: FastifyReply): void {
    const { rate_limiting_response_text: text } = this.#deps.settings.now;
    applyThrottle(this.#counter, throttle, name, key, this.#deps.clock.now().getTime(), reply, text);
  }
}
