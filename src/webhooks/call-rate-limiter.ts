import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum number of webhook calls that a process starts per second, to leave time for requests. */
const MAX_CALLS_PER_SECOND = 600;
const STEP_MS = 1_000 / MAX_CALLS_PER_SECOND;

/** Spreads calls evenly over time, so that bursts do not delay requests. */
export class CallRateLimiter {
  #next = 0;

  /** Waits until another call may start. */
  async acquire(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + STEP_MS;
    if (at > now) await sleep(at - now);
  }
}
