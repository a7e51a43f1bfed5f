import { performance } from 'node:perf_hooks';
import { cpuTimes } from './cpu-times.ts';

/** Milliseconds after which it is looked at again. */
const PERIOD_MS = 500;
/** So many periods are looked at together: the first seconds after a start, in which nothing is compiled, are none of want. */
const PERIODS = 6;
/** Fewer where it was so within the last minute. */
const AGAIN_PERIODS = 1;
const LATELY_MS = 60_000;
/** Of the time: from where on there is little to spare in all of them, and where enough again in one. */
const BUSY = 0.9;
const FREE = 0.25;
/** Of the time of all processors: where other processes take more, other threads of this one would only wait for them. */
const MAX_OF_OTHERS = 0.3;

/** What a look is taken at: of this thread, of the machine, and the time in milliseconds. */
const SYSTEM = {
  utilization: performance.eventLoopUtilization,
  processors: cpuTimes,
  now: (): number => performance.now(),
};

/** What was found at one time. */
interface Look {
  loop: ReturnType<typeof SYSTEM.utilization>;
  processors: ReturnType<typeof SYSTEM.processors>;
}

/**
 * Tells whether this thread had little time to spare lately while other processes left processors to this one. It takes no timer: whoever
 * asks often enough has it looked at.
 */
export class LoopLoad {
  readonly #system: typeof SYSTEM;
  #lookedAt: number;
  #last: Look;
  /** When the first of the periods began that are looked at together. */
  #begin: Look;
  #periods = 0;
  #isBusy = false;
  #wasBusyAt = Number.NEGATIVE_INFINITY;

  /** @param system other looks than that at the engine and the machine, for tests */
  constructor(system: Partial<typeof SYSTEM> = {}) {
    this.#system = { ...SYSTEM, ...system };
    this.#lookedAt = this.#system.now();
    this.#last = this.#look();
    this.#begin = this.#last;
  }

  /** Whether it was busy for three seconds in which others left it enough, and no period has told otherwise since. */
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

  /** Of the time between two looks, how much this thread was active. */
  #share(from: Look, to: Look): number {
    return this.#system.utilization(to.loop, from.loop).utilization;
  }

  /** Whether other processes left it enough between two looks. */
  #hasRoom({ processors: from }: Look, { processors: to }: Look): boolean {
    if (from === null || to === null || to.all === from.all) return true;
    return (to.others - from.others) / (to.all - from.all) < MAX_OF_OTHERS;
  }
}
