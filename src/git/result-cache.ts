import { LRUCache } from 'lru-cache';
import { BoundedCache } from '../core/bounded-cache.ts';
import { ApiError } from '../core/core.errors.ts';
import { currentScope } from '../core/request-scope.ts';
import { GitError } from './git.errors.ts';

/** How long is remembered that something takes more work than is allowed, in milliseconds. */
const FAILURE_MS = 10 * 60_000;

/**
 * Results that follow from object ids alone, so that they can never be stale. Bounded by bytes; calls for one key
 * at the same time share one computation. Of failures only those are kept, for ten minutes, that cost too much to be
 * tried again.
 */
export class ResultCache<V extends object> {
  readonly #kept: BoundedCache<string, V>;
  readonly #failed = new LRUCache<string, GitError>({ max: 1_000, ttl: FAILURE_MS });
  readonly #pending = new Map<string, Promise<V>>();

  /**
   * @param maxBytes about how much the cache may hold; a result past a quarter of it is not kept
   * @param sizeOf about how many bytes a result takes
   * @param isDear whether a result takes so much time that it is kept as if it had been asked for again
   */
  constructor(maxBytes: number, sizeOf: (value: V) => number, isDear = false) {
    this.#kept = new BoundedCache(maxBytes, (value, key) => sizeOf(value) + 2 * key.length + 200, {
      maxEntryBytes: Math.ceil(maxBytes / 4),
      isCostly: isDear,
    });
  }

  /** The kept result, or undefined. */
  peek(key: string): V | undefined {
    return this.#kept.get(key);
  }

  put(key: string, value: V): void {
    this.#kept.set(key, value);
  }

  /**
   * The kept result, or that of `compute`; throws what `compute` throws. Where the one who computes leaves or is refused
   * for asking too much at once, another who waits for the same computes it anew.
   */
  async get(key: string, compute: () => Promise<V>): Promise<V> {
    for (;;) {
      const kept = this.#kept.get(key);
      if (kept !== undefined) return kept;
      const failed = this.#failed.get(key);
      if (failed !== undefined) throw failed;
      const running = this.#pending.get(key);
      if (running === undefined) return await this.#compute(key, compute);
      try {
        return await running;
      } catch (error) {
        if (!isOwn(error)) throw error;
        currentScope().signal?.throwIfAborted();
      }
    }
  }

  async #compute(key: string, compute: () => Promise<V>): Promise<V> {
    const promise = compute();
    this.#pending.set(key, promise);
    try {
      const value = await promise;
      this.#kept.set(key, value);
      return value;
    } catch (error) {
      if (error instanceof GitError && error.permanent) this.#failed.set(key, error);
      throw error;
    } finally {
      this.#pending.delete(key);
    }
  }
}

/** Whether an error is that of the one who asked alone: it has left, or asks for too much at once. */
function isOwn(error: unknown): boolean {
  if (error instanceof GitError) return error.code === 'aborted' || error.code === 'caller_busy';
  return error instanceof ApiError ? error.status === 429 : (error as Error | null)?.name === 'AbortError';
}

/** A cache key: the parts as JSON, so that no part can run into the next. */
export function cacheKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
