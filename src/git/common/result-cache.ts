import { BoundedCache, type ByteCacheName, EntryCache } from '../../core/cache/index.ts';
import { ApiError } from '../../core/core.errors.ts';
import { onForget, THIS_PROCESS } from '../../core/forgetting.ts';
import { currentScope } from '../../core/request-scope.ts';
import { GitError } from './git.errors.ts';

/** Time in milliseconds for which exceeded limits are cached. */
const FAILURE_MS = 10 * 60_000;

/**
 * Cache for results that depend on object ids alone, so they never become stale. Bounded by size; concurrent calls for
 * one key share a computation. Only permanent failures are cached, for ten minutes.
 */
export class ResultCache<V extends object> {
  readonly #results: BoundedCache<string, V>;
  readonly #failed = new EntryCache<string, GitError>('git_failures', { ttl: FAILURE_MS });
  readonly #pending = new Map<string, Promise<V>>();

  /**
   * @param name in the table of caches
   * @param sizeOf returns the approximate size of a result
   * @param bytes replaces the size of the table
   */
  constructor(name: ByteCacheName, sizeOf: (value: V) => number, bytes?: number) {
    this.#results = new BoundedCache(name, (value, key) => sizeOf(value) + 2 * key.length + 200, { bytes });
    onForget(THIS_PROCESS, () => this.#failed.clear());
  }

  /** The cached result, or undefined. */
  peek(key: string): V | undefined {
    return this.#results.get(key);
  }

  put(key: string, value: V): void {
    this.#results.set(key, value);
  }

  /**
   * The cached result, or that of `compute`; throws errors of `compute`. If the computing caller is aborted or exceeds
   * its own limits, another waiting caller computes it again.
   */
  async get(key: string, compute: () => Promise<V>): Promise<V> {
    for (;;) {
      const cached = this.#results.get(key);
      if (cached !== undefined) return cached;
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
      this.#results.set(key, value);
      return value;
    } catch (error) {
      if (error instanceof GitError && error.permanent) this.#failed.set(key, error);
      throw error;
    } finally {
      this.#pending.delete(key);
    }
  }
}

/** Whether an error concerns only its caller: it was aborted, or exceeds its own limits. */
function isOwn(error: unknown): boolean {
  if (error instanceof GitError) return error.code === 'aborted' || error.code === 'caller_busy';
  return error instanceof ApiError ? error.status === 429 : (error as Error | null)?.name === 'AbortError';
}

/** Cache key of several parts, as JSON, so that parts cannot run together. */
export function cacheKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
