import { GitError } from '../../common/index.ts';

const TURN_MS = 2;
/** Number of waiting reads that continue in one turn of the event loop. */
const CONCURRENCY = 8;
const MAX_WAITING = 20_000;

/** Yields to the event loop between reads that find everything in memory. */
export class EventLoopYield {
  #began: number | undefined;
  readonly #waiting: (() => void)[] = [];
  #scheduled = false;

  /**
   * Called before and during work that does not wait by itself.
   * @returns a promise to wait for; undefined while there is time left in this turn
   * @throws GitError `busy` if too many reads wait
   */
  next(): Promise<void> | undefined {
    if (this.#waiting.length === 0) {
      const now = performance.now();
      this.#began ??= now;
      this.#schedule();
      if (now - this.#began < TURN_MS) return undefined;
    }
    if (this.#waiting.length >= MAX_WAITING) throw new GitError('busy', 'too many object reads are waiting');
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#began = undefined;
      for (const resolve of this.#waiting.splice(0, CONCURRENCY)) resolve();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
