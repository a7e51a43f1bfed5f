import { GitError } from './git.errors.ts';

interface Lane {
  waiting: (() => void)[];
}

/** Runs functions with the same key one at a time, in order; different keys run concurrently. */
export class KeyedQueue {
  readonly #maxWaiting: number;
  readonly #lanes = new Map<string, Lane>();

  /** @param options `maxWaiting` functions of a key may wait behind the running one; default 100 */
  constructor(options: { maxWaiting?: number } = {}) {
    this.#maxWaiting = options.maxWaiting ?? 100;
  }

  /** Number of keys with a running function. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Keys with a running function. */
  get keys(): Iterable<string> {
    return this.#lanes.keys();
  }

  /**
   * Runs `fn` after all earlier functions of this key and returns its result. A function must not wait for another one
   * of its own key.
   * @throws GitError `busy` if too many functions wait; else errors of `fn`
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
    if (lane.waiting.length >= this.#maxWaiting) throw new GitError('busy', `too many calls are waiting for ${key}`);
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
  }

  #leave(key: string): void {
    const next = this.#lanes.get(key)!.waiting.shift();
    if (next === undefined) this.#lanes.delete(key);
    else next();
  }
}
