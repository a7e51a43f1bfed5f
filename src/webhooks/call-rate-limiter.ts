import { setTimeout as sleep } from 'node:timers/promises';

/** So many calls of hooks a process begins in a second: what waits for hooks leaves it time for everybody else. */
const MAX_CALLS_PER_SECOND = 600;
const STEP_MS = 1_000 / MAX_CALLS_PER_SECOND;

/** Spreads calls evenly over time, so that many at once do not hold up requests. */
export class CallRateLimiter {
  #next = 0;

  /** Waits for the turn of one more call. */
  async acquire(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + STEP_MS;
    if (at > now) await sleep(at - now);
  }
}
