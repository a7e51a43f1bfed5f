import { performance } from 'node:perf_hooks';
import { cpuTimes } from './cpu-times.ts';

/** Length of a measuring period in milliseconds. */
const PERIOD_MS = 500;
/**
 * Number of consecutive busy periods required: the first seconds after a start, with uncompiled code, do not count as
 * overload.
 */
const PERIODS = 6;
/** Fewer periods suffice if it was busy within the last minute. */
const AGAIN_PERIODS = 1;
const LATELY_MS = 60_000;
/** Utilization above which a single period counts as busy, and below which as idle. */
const BUSY = 0.9;
const FREE = 0.25;
/** Share of all processors used by other processes above which additional threads of this one would only wait. */
const MAX_OF_OTHERS = 0.3;

/** Measurements of this thread, of the machine, and the time in milliseconds. */
const SYSTEM = {
  utilization: performance.eventLoopUtilization,
  processors: cpuTimes,
  now: (): number => performance.now(),
};

/** Measurements at one time. */
interface Look {
  loop: ReturnType<typeof SYSTEM.utilization>;
  processors: ReturnType<typeof SYSTEM.processors>;
}

/**
 * Detects overload of this thread while other processors are available. Without a timer: measurements are taken when it
 * is queried.
 */
export class LoopLoad {
  readonly #system: typeof SYSTEM;
  #lookedAt: number;
  #last: Look;
  /** Start of the first measured period. */
  #begin: Look;
  #periods = 0;
  #isBusy = false;
  #wasBusyAt = Number.NEGATIVE_INFINITY;

  /** @param system replaces measurements, for tests */
  constructor(system: Partial<typeof SYSTEM> = {}) {
    this.#system = { ...SYSTEM, ...system };
    this.#lookedAt = this.#system.now();
    this.#last = this.#look();
    this.#begin = this.#last;
  }

  /** Whether it was busy for three seconds with free processors, and no later period was idle. */
  get isBusy(): boolean {
    const now = this.#system.now();
    if (now - this.#lookedAt < PERIOD_MS) return this.#isBusy;
    this.#lookedAt = now;
    const [before, look] = [this.#last, this.#look()];
    this.#last = look;
    const isFree = this.#share(before, look) <= FREE;
    if (this.#isBusy) this.#isBusy = !isFree && this.#hasRoom(before, look);
    else if (isFree) this.#periods = 0;
    else {
      this.#periods += 1;
      if (this.#periods === 1) this.#begin = before;
      if (this.#periods >= (now - this.#wasBusyAt < LATELY_MS ? AGAIN_PERIODS : PERIODS)) {
        this.#isBusy = this.#share(this.#begin, look) > BUSY && this.#hasRoom(this.#begin, look);
        this.#periods = 0;
      }
    }
    if (this.#isBusy) this.#wasBusyAt = now;
    return this.#isBusy;
  }

  #look(): Look {
    return { loop: this.#system.utilization(), processors: this.#system.processors() };
  }

  /** Utilization of this thread between two measurements. */
  #share(from: Look, to: Look): number {
    return this.#system.utilization(to.loop, from.loop).utilization;
  }

  /** Whether other processes left enough processor time between two measurements. */
  #hasRoom({ processors: from }: Look, { processors: to }: Look): boolean {
    if (from === null || to === null || to.all === from.all) return true;
    return (to.others - from.others) / (to.all - from.all) < MAX_OF_OTHERS;
  }
}
