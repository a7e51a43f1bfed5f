import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, shareOf } from '../access/caller.ts';
import type { Face, Throttle } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import { throttleOf } from '../settings/throttles.ts';
import { LastingAnswers } from './lasting-answers.ts';
import { applyThrottle, ConcurrencyLimiter, WindowCounter } from './rate-limit.ts';
import type { Route, RouteLimit } from './route.ts';

const NAMES = { api: 'api', web: 'web', git: 'git_http' } as const satisfies Record<Face, string>;

/** What all routes share: throttles and limits. */
export class HttpServices {
  readonly expensive: ConcurrencyLimiter;
  readonly lasting: LastingAnswers;
  readonly #deps: Deps;
  readonly #counter = new WindowCounter();
  readonly #headPaths: ReadonlySet<string>;

  constructor(deps: Deps, routes: readonly Route[]) {
    this.#deps = deps;
    this.expensive = new ConcurrencyLimiter(deps.config.limits.expensivePerCaller);
    this.lasting = new LastingAnswers(deps, [...new Set(routes.flatMap(({ options }) => options.lasting ?? []))]);
    this.#headPaths = new Set(routes.flatMap(({ options }) => (options.method === 'HEAD' ? [options.path] : [])));
  }

  /** Whether the path has a HEAD route of its own, so that none is derived from GET. */
  hasHeadRoute(path: string): boolean {
    return this.#headPaths.has(path);
  }

  /** Counts requests that do not say who sends them, by address. @throws Throttled */
  throttleAddress(request: FastifyRequest, reply: FastifyReply, face: Face): void {
    if (this.#throttle(face, 'unauthenticated').requests === 0) return;
    this.#apply(face, 'unauthenticated', request.ip, reply);
  }

  /** Counts requests whose token is refused as well: whoever guesses tokens is not signed in. @throws Throttled */
  throttleFailure(request: FastifyRequest, reply: FastifyReply, face: Face): void {
    this.#apply(face, 'unauthenticated', request.ip, reply);
  }

  /** Counts requests of signed-in users. @throws Throttled */
  throttleUser(caller: Caller, request: FastifyRequest, reply: FastifyReply, face: Face): void {
    if (this.#throttle(face, 'authenticated').requests === 0 || caller.credential.kind === 'none') return;
    this.#apply(
      face,
      'authenticated',
      caller.user === null ? shareOf(caller, request.ip) : String(caller.user.id),
      reply,
    );
  }

  /** Counts requests of a route that has a limit of its own. @throws ApiError 429 */
  limitRoute({ setting, periodSeconds, anonymous }: RouteLimit, caller: Caller, request: FastifyRequest): void {
    if (anonymous === true && caller.credential.kind !== 'none') return;
    const { limiter, settings } = this.#deps;
    limiter.check(setting, shareOf(caller, request.ip), { requests: settings.now[setting], periodSeconds });
  }

  #apply(face: Face, kind: 'authenticated' | 'unauthenticated', key: string, reply: FastifyReply): void {
    const now = this.#deps.clock.now().getTime();
    const { rate_limiting_response_text: text } = this.#deps.settings.now;
    applyThrottle(this.#counter, this.#throttle(face, kind), `throttle_${kind}_${NAMES[face]}`, key, now, reply, text);
  }

  #throttle(face: Face, kind: 'authenticated' | 'unauthenticated'): Throttle {
    return throttleOf(this.#deps.settings.now, `${kind}_${NAMES[face]}`);
  }
}
