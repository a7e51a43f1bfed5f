import { EntryCache } from './cache/index.ts';
import { ApiError } from './core.errors.ts';

export interface Throttle {
  /** Requests allowed per period; 0 disables the throttle. */
  requests: number;
  periodSeconds: number;
}

interface Window {
  start: number;
  count: number;
}

/** Counts by key in fixed time windows. */
export class WindowCounter {
  #made: EntryCache<string, Window> | undefined;

  /** Made when it is first needed, which in most servers it never is. */
  get #windows(): EntryCache<string, Window> {
    this.#made ??= new EntryCache('rate_windows');
    return this.#made;
  }

  /** Counts an event. @returns the count in the current window, and the unix time in seconds at which it ends */
  hit(key: string, periodSeconds: number, nowMs: number): { count: number; resetAt: number } {
    const period = periodSeconds * 1000;
    const start = Math.floor(nowMs / period) * period;
    const window = this.#windows.get(key);
    const count = window?.start === start ? window.count + 1 : 1;
    this.#windows.set(key, { start, count });
    return { count, resetAt: Math.ceil((start + period) / 1000) };
  }

  /** Drops all counts. */
  clear(): void {
    this.#windows.clear();
  }

  /** Decrements the count of a key. */
  takeBack(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.count = Math.max(0, window.count - 1);
  }
}

/** Rate limits of single actions (part 1, section 8.3) by key. */
export class ActionLimiter {
  readonly #counter = new WindowCounter();
  readonly #now: () => number;
  #suspended = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Allows everything until the function that it gives is called. */
  suspend(): () => void {
    this.#suspended += 1;
    let ended = false;
    return () => {
      if (!ended) this.#suspended -= 1;
      ended = true;
    };
  }

  /** Counts an action. @param limit 0 requests are no limit @returns whether it is within the limit */
  allows(action: string, key: string, { requests, periodSeconds }: Throttle): boolean {
    if (this.#suspended > 0) return true;
    return requests === 0 || this.#counter.hit(`${action}:${key}`, periodSeconds, this.#now()).count <= requests;
  }

  /** Drops all counts. */
  clear(): void {
    this.#counter.clear();
  }

  /** Decrements the count of an action that will be repeated. */
  takeBack(action: string, key: string): void {
    this.#counter.takeBack(`${action}:${key}`);
  }

  /** @param limit 0 requests are no limit @throws ApiError 429 with `Retry-After` */
  check(action: string, key: string, limit: Throttle): void {
    if (this.allows(action, key, limit)) return;
    const text = 'This endpoint has been requested too many times. Try again later.';
    throw new ApiError(429, text, { error: text }, { 'Retry-After': String(limit.periodSeconds) });
  }
}

/** Limits the number of concurrent expensive requests per caller. */
export class ConcurrencyLimiter {
  readonly #running = new Map<string, number>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns a function that must be called once when the request has ended. @throws ApiError 429 */
  enter(key: string): () => void {
    const running = this.#running.get(key) ?? 0;
    if (running >= this.#limit) {
      const text = `You have ${running} expensive requests under way. Wait for one to end, then try again.`;
      throw new ApiError(429, text, {}, { 'Retry-After': '1' });
    }
    this.#running.set(key, running + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const now = this.#running.get(key)! - 1;
      if (now === 0) this.#running.delete(key);
      else this.#running.set(key, now);
    };
  }
}
