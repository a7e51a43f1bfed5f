import { LRUCache } from 'lru-cache';

/**
 * Results that follow from object ids alone, so that they can never be stale. Bounded by bytes; calls for one key
 * at the same time share one computation, and a failed one is not kept.
 */
export class ResultCache<V extends object> {
  readonly #kept: LRUCache<string, V>;
  readonly #pending = new Map<string, Promise<V>>();

  /**
   * @param maxBytes about how much the cache may hold; a result past a quarter of it is not kept
   * @param sizeOf about how many bytes a result takes
   */
  constructor(maxBytes: number, sizeOf: (value: V) => number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.ceil(maxBytes / 4),
      sizeCalculation: (value, key) => sizeOf(value) + 2 * key.length + 64,
    });
  }

  /** The kept result, or undefined. */
  peek(key: string): V | undefined {
    return this.#kept.get(key);
  }

  put(key: string, value: V): void {
    this.#kept.set(key, value);
  }

  /** The kept result, or that of `compute`; throws what `compute` throws. */
  async get(key: string, compute: () => Promise<V>): Promise<V> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const running = this.#pending.get(key);
    if (running !== undefined) return await running;
    const promise = compute();
    this.#pending.set(key, promise);
    try {
      const value = await promise;
      this.#kept.set(key, value);
      return value;
    } finally {
      this.#pending.delete(key);
    }
  }
}

/** A cache key: the parts as JSON, so that no part can run into the next. */
export function cacheKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
