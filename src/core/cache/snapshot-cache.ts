import type { EntryCacheName } from './cache-table.ts';
import { EntryCache } from './entry-cache.ts';

/**
 * Caches database reads until anyone commits, so that results always equal those of a query. Disabled on engines
 * without a version (PostgreSQL).
 */
export class SnapshotCache {
  readonly #version: () => number | null;
  readonly #entries: EntryCache<string, { value: unknown }>;
  #seen: number | null = null;

  /** @param version of the database, which changes with each commit; null where it is unknown */
  constructor(version: () => number | null, name: EntryCacheName = 'rows') {
    this.#version = version;
    this.#entries = new EntryCache(name);
  }

  /** Whether caching is enabled. */
  get remembers(): boolean {
    return this.#version() !== null;
  }

  /** The cached value of a key, or the result of `load`. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const hit = this.peek<T>(key);
    if (hit !== undefined) return hit.value;
    const version = this.#seen;
    const value = await load();
    // Only reads during an unchanged version belong to it.
    if (version !== null && this.#version() === version && this.#seen === version) this.#entries.set(key, { value });
    return value;
  }

  /** The cached value without waiting; undefined if there is none. */
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
