import { LRUCache } from 'lru-cache';

/**
 * Remembers what was read from the database for as long as nothing has been committed to it, by anyone. Where the
 * engine cannot tell (PostgreSQL), nothing is remembered. So what comes out is always what a query would give.
 */
export class SnapshotCache {
  readonly #version: () => number | null;
  readonly #entries: LRUCache<string, { value: unknown }>;
  #seen: number | null = null;

  constructor(version: () => number | null, maxEntries = 5_000) {
    this.#version = version;
    this.#entries = new LRUCache({ max: maxEntries });
  }

  /** Whether anything can be remembered. */
  get remembers(): boolean {
    return this.#version() !== null;
  }

  /** The remembered value of the key, or what `load` reads now. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const hit = this.peek<T>(key);
    if (hit !== undefined) return hit.value;
    const version = this.#seen;
    const value = await load();
    // Only what was read while the version stood still belongs to it.
    if (version !== null && this.#version() === version && this.#seen === version) this.#entries.set(key, { value });
    return value;
  }

  /** The remembered value without waiting; undefined when there is none. */
  peek<T>(key: string): { value: T } | undefined {
    const version = this.#version();
    if (version === null) return undefined;
    if (version !== this.#seen) {
      this.#entries.clear();
      this.#seen = version;
      return undefined;
    }
    return this.#entries.get(key) as { value: T } | undefined;
  }
}
