import { FairSlots } from '../../core/fair-slots.ts';
import { GitError } from '../git.errors.ts';

/** A write of a large repository takes longer than so many milliseconds. */
const LONG_MS = 1_000;

/**
 * Bounds how many graphs and indexes are written at once. One that turns out to be long gives its slot to others, unless another
 * long one runs: a large repository does not hold up small ones.
 */
export class WriteSlots {
  readonly #slots = new FairSlots({
    total: 2,
    perKey: 1,
    maxWaiting: 10_000,
    maxWaitingPerKey: 100,
    refuse: () => new GitError('busy', 'too many graphs wait to be written'),
  });
  #hasLong = false;

  /**
   * Runs a function once there is a slot.
   * @param dir of the repository
   * @param signal ends the wait
   * @throws GitError `busy`; the reason of the signal; what the function throws
   */
  async run<T>(dir: string, write: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.#slots.take(dir, { signal });
    let isLong = false;
    const timer = setTimeout(() => {
      if (this.#hasLong) return;
      this.#hasLong = true;
      isLong = true;
      leave();
    }, LONG_MS).unref();
    try {
      return await write();
    } finally {
      clearTimeout(timer);
      if (isLong) this.#hasLong = false;
      leave();
    }
  }
}
