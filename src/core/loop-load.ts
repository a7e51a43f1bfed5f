import { performance } from 'node:perf_hooks';
import { processorTimes } from './processor-times.ts';

/** Milliseconds after which it is looked at again. */
const PERIOD_MS = 500;
/** So many periods in a row: the first seconds after a start, in which nothing is compiled, are none of want. */
const PERIODS = 6;
/** Fewer where it was so within the last minute. */
const AGAIN_PERIODS = 2;
const LATELY_MS = 60_000;
/** Of the time: from where on there is little to spare, and where enough again. */
const BUSY = 0.9;
const FREE = 0.25;
/** Of the time of all processors: what has to be idle for other threads to be of use, and for them to go on. */
const IDLE = 0.3;
const STILL_IDLE = 0.05;

/** What a look is taken at: of this thread, of the machine, and the time in milliseconds. */
const SYSTEM = {
  utilization: performance.eventLoopUtilization,
  processors: processorTimes,
  now: (): number => performance.now(),
};

/**
 * Tells whether this thread had little time to spare lately while processors were idle. It takes no timer: whoever asks often enough has
 * it looked at.
 */
export class LoopLoad {
  readonly #system: typeof SYSTEM;
  #lookedAt: number;
  #loop: ReturnType<typeof SYSTEM.utilization>;
  /** At the last look while it is busy, or else at the first that found it so. */
  #processors: ReturnType<typeof SYSTEM.processors> = null;
  #periods = 0;
  #isBusy = false;
  #wasBusyAt = Number.NEGATIVE_INFINITY;

  /** @param system other looks than that at the engine and the machine, for tests */
  constructor(system: Partial<typeof SYSTEM> = {}) {
    this.#system = { ...SYSTEM, ...system };
    this.#lookedAt = this.#system.now();
    this.#loop = this.#system.utilization();
  }

  /** Whether it was busy for three seconds in which processors were idle, and no period has told otherwise since. */
  get isBusy(): boolean {
    const now = this.#system.now();
    if (now - this.#lookedAt < PERIOD_MS) return this.#isBusy;
    this.#lookedAt = now;
    const loop = this.#system.utilization();
    const share = this.#system.utilization(loop, this.#loop).utilization;
    this.#loop = loop;
    if (this.#isBusy) this.#isBusy = share > FREE && this.#idleShare() > STILL_IDLE;
    else if (share <= BUSY) this.#periods = 0;
    else {
      this.#periods += 1;
      if (this.#periods === 1) this.#processors = this.#system.processors();
      else if (this.#periods >= (now - this.#wasBusyAt < LATELY_MS ? AGAIN_PERIODS : PERIODS)) {
        this.#isBusy = this.#idleShare() > IDLE;
        this.#periods = 0;
      }
    }
    if (this.#isBusy) this.#wasBusyAt = now;
    return this.#isBusy;
  }

  /** Since the processors were looked at the last time. */
  #idleShare(): number {
    const before = this.#processors;
    this.#processors = this.#system.processors();
    if (before === null || this.#processors === null || this.#processors.all === before.all) return 1;
    return (this.#processors.idle - before.idle) / (this.#processors.all - before.all);
  }
}
