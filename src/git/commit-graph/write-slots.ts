import { FairSlots } from '../../core/fair-slots.ts';
import { GitError } from '../common/index.ts';

/** Writes that take longer than this many milliseconds count as long. */
const LONG_MS = 1_000;

/**
 * Bounds the number of concurrent writes of graphs and indexes. A long write releases its slot, unless another long one
 * is running, so that large repositories do not delay small ones.
 */
export class WriteSlots {
  readonly #slots = new FairSlots({
    total: 2,
    perKey: 1,
    maxWaiting: 10_000,
    maxWaitingPerKey: 100,
    refuse: () => new GitError('busy', 'too many commit-graph writes are waiting'),
  });
  #hasLong = false;

  /**
   * Runs a function once a slot is free.
   * @param dir of the repository
   * @param signal aborts the wait
   * @throws GitError `busy`; the reason of the signal; errors of the function
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
