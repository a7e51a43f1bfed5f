import { SlotSet } from './slot-set.ts';

/** A point in time: work that began before it may still be in flight. */
export type Epoch = number;

/**
 * The requests and jobs of this process that have not ended. A caller can wait until all work that began before an
 * epoch has ended; later work has seen the change made before it.
 */
export class InFlight {
  #next = 1;
  /** Work that has not ended, numbered in the order of its beginning. */
  readonly #running = new SlotSet<{ number: number; slot: number }>();

  /** Counts work as in flight. @returns a function that marks it as ended; further calls have no effect */
  begin(): () => void {
    const one = { number: this.#next++, slot: -1 };
    this.#running.add(one);
    return () => this.#running.delete(one);
  }

  /** The current epoch. */
  currentEpoch(): Epoch {
    return this.#next;
  }

  /** Whether all work that began before the epoch has ended. */
  hasDrained(before: Epoch): boolean {
    return this.#running.all().every(({ number }) => number >= before);
  }
}
