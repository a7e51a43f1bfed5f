import { EntryCache } from './entry-cache.ts';

/** Maximum age of a value in milliseconds, unless this process changes it. */
const MAX_AGE = 1_000;

interface Entry {
  value: unknown;
  /** Monotonic time. */
  readAt: number;
}

/**
 * Caches values that seldom change and that nearly every request needs, such as settings. Changes by this process take
 * effect immediately, those by another process a second later. Few keys, which are fixed in the program.
 */
export class RecentCache {
  readonly #entries = new EntryCache<string, Entry>('recent_values');
  #changes = 0;

  /** The cached value of a key, or the result of `load`. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const readAt = performance.now();
    const known = this.#entries.get(key);
    if (known !== undefined && readAt - known.readAt < MAX_AGE) return known.value as T;
    const changes = this.#changes;
    const value = await load();
    // A value read during a change may be outdated.
    if (changes === this.#changes) this.#entries.set(key, { value, readAt });
    return value;
  }

  /** To be called after a change was committed. */
  invalidate(): void {
    this.#changes += 1;
    this.#entries.clear();
  }
}
