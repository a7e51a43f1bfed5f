import { Bag } from './bag.ts';

/** A moment: what began before it may still be under way. */
export type Moment = number;

/**
 * What goes on in this process, such as requests and jobs, so that something can wait until all has ended that had begun
 * by a moment: who began later has seen what was changed before it.
 */
export class UnderWay {
  #next = 1;
  /** What has not ended, numbered in the order in which it began. */
  readonly #running = new Bag<{ number: number; place: number }>();

  /** Counts something as under way. @returns what says that it has ended; a second call changes nothing */
  begin(): () => void {
    const one = { number: this.#next++, place: -1 };
    this.#running.add(one);
    return () => this.#running.delete(one);
  }

  /** This moment. */
  now(): Moment {
    return this.#next;
  }

  /** Whether all has ended that had begun by that moment. */
  hasEnded(before: Moment): boolean {
    return this.#running.all().every(({ number }) => number >= before);
  }
}
