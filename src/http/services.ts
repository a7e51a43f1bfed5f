import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, shareOf } from '../access/caller.ts';
import type { Face } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import { LastingAnswers } from './lasting-answers.ts';
import { applyThrottle, ConcurrencyLimiter, WindowCounter } from './rate-limit.ts';
import type { Route } from './route.ts';

const NAMES: Readonly<Record<Face, string>> = { api: 'api', web: 'web', git: 'git_http' };

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
    if (this.#deps.config.throttles[face].unauthenticated.requests === 0) return;
    this.#apply(face, 'unauthenticated', request.ip, reply);
  }

  /** Counts requests whose token is refused as well: whoever guesses tokens is not signed in. @throws Throttled */
  throttleFailure(request: FastifyRequest, reply: FastifyReply, face: Face): void {
    this.#apply(face, 'unauthenticated', request.ip, reply);
  }

  /** Counts requests of signed-in users. @throws Throttled */
  throttleUser(caller: Caller, request: FastifyRequest, reply: FastifyReply, face: Face): void {
    if (this.#deps.config.throttles[face].authenticated.requests === 0 || caller.credential.kind === 'none') return;
    this.#apply(
      face,
      'authenticated',
      caller.user === null ? shareOf(caller, request.ip) : String(caller.user.id),
      reply,
    );
  }

  #apply(face: Face, kind: 'authenticated' | 'unauthenticated', key: string, reply: FastifyReply): void {
    const now = this.#deps.clock.now().getTime();
    const throttle = this.#deps.config.throttles[face][kind];
    applyThrottle(this.#counter, throttle, `throttle_${kind}_${NAMES[face]}`, key, now, reply);
  }
}
