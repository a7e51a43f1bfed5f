/** A moment: what began before it may still be under way. */
export type Moment = number;

/**
 * What goes on in this process, such as requests and jobs, so that something can wait until all has ended that had begun
 * by a moment: who began later has seen what was changed before it.
 */
export class UnderWay {
  #next = 1;
  /** Numbers of what has not ended, in the order in which it began. */
  readonly #running = new Set<number>();

  /** Counts something as under way. @returns what says that it has ended; a second call changes nothing */
  begin(): () => void {
    const number = this.#next++;
    this.#running.add(number);
    return () => void this.#running.delete(number);
  }

  /** This moment. */
  now(): Moment {
    return this.#next;
  }

  /** Whether all has ended that had begun by that moment. */
  hasEnded(before: Moment): boolean {
    const [oldest] = this.#running;
    return oldest === undefined || oldest >= before;
  }
}
