import { SlotSet } from './slot-set.ts';

/** A moment: what began before it may still be under way. */
export type Epoch = number;

/**
 * What goes on in this process, such as requests and jobs, so that something can wait until all has ended that had begun
 * by a moment: who began later has seen what was changed before it.
 */
export class InFlight {
  #next = 1;
  /** What has not ended, numbered in the order in which it began. */
  readonly #running = new SlotSet<{ number: number; slot: number }>();

  /** Counts something as under way. @returns what says that it has ended; a second call changes nothing */
  begin(): () => void {
    const one = { number: this.#next++, slot: -1 };
    this.#running.add(one);
    return () => this.#running.delete(one);
  }

  /** This moment. */
  currentEpoch(): Epoch {
    return this.#next;
  }

  /** Whether all has ended that had begun by that moment. */
  hasDrained(before: Epoch): boolean {
    return this.#running.all().every(({ number }) => number >= before);
  }
}
