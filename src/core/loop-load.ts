import { performance } from 'node:perf_hooks';

/** Milliseconds after which it is looked at again. */
const PERIOD_MS = 500;
/** So many periods in a row: the first seconds after a start, in which nothing is compiled, are none of want. */
const PERIODS = 6;
/** Of the time: from where on there is little to spare, and where enough again. */
const BUSY = 0.6;
const FREE = 0.25;

/** Tells whether this thread has had little time to spare lately. It takes no timer: whoever asks often enough has it looked at. */
export class LoopLoad {
  readonly #utilization: typeof performance.eventLoopUtilization;
  readonly #now: () => number;
  #lookedAt: number;
  #last: ReturnType<typeof performance.eventLoopUtilization>;
  #busyPeriods = 0;
  #isBusy = false;

  /** @param utilization of this thread, and `now` in milliseconds: others than the engine's for tests */
  constructor(utilization = performance.eventLoopUtilization, now: () => number = () => performance.now()) {
    this.#utilization = utilization;
    this.#now = now;
    this.#lookedAt = now();
    this.#last = utilization();
  }

  /**
   * Whether it was busy for three seconds, and has not been free for a period since.
   */
  get isBusy(): boolean {
    const now = this.#now();
    if (now - this.#lookedAt < PERIOD_MS) return this.#isBusy;
    const current = this.#utilization();
    const share = this.#utilization(current, this.#last).utilization;
    this.#busyPeriods = share > BUSY ? this.#busyPeriods + 1 : 0;
    this.#isBusy = this.#isBusy ? share > FREE : this.#busyPeriods >= PERIODS;
    this.#last = current;
    this.#lookedAt = now;
    return this.#isBusy;
  }
}
