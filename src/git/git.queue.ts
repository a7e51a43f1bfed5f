import { GitError } from './git.errors.ts';

interface Lane {
  waiting: (() => void)[];
}

/** Runs functions of one key one after the other, in the order they came; different keys do not wait for each other. */
export class KeyedQueue {
  readonly #maxWaiting: number;
  readonly #lanes = new Map<string, Lane>();

  /** @param options `maxWaiting` functions of one key may wait behind the running one; default 100 */
  constructor(options: { maxWaiting?: number } = {}) {
    this.#maxWaiting = options.maxWaiting ?? 100;
  }

  /** How many keys have a function running. */
  get size(): number {
    return this.#lanes.size;
  }

  /**
   * Runs `fn` once every earlier function of this key has ended, and gives what it gives.
   * A function must not wait for another one of its own key.
   * @throws GitError `busy` where too many wait already; else what `fn` throws
   */
  async run<T>(key: string, fn: () => Promise<T> | T): Promise<T> {
    await this.#enter(key);
    try {
      return await fn();
    } finally {
      this.#leave(key);
    }
  }

  async #enter(key: string): Promise<void> {
    const lane = this.#lanes.get(key);
    if (lane === undefined) {
      this.#lanes.set(key, { waiting: [] });
      return;
    }
    if (lane.waiting.length >= this.#maxWaiting) throw new GitError('busy', `too many wait for ${key}`);
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
  }

  #leave(key: string): void {
    const next = this.#lanes.get(key)!.waiting.shift();
    if (next === undefined) this.#lanes.delete(key);
    else next();
  }
}
