import { LRUCache } from 'lru-cache';
import { type CacheStats, statsOf } from './cache-stats.ts';
import { type CountBound, ENTRY_CACHES, type EntryCacheName } from './cache-table.ts';

type Options<K extends {}, V extends {}> = Pick<
  LRUCache.Options<K, V, unknown>,
  'ttl' | 'sizeCalculation' | 'maxEntrySize'
> & {
  /** Replaces the number of entries of the table. */
  entries?: number;
  /** Called for each value that leaves the cache. */
  onRemove?: (value: V) => void;
};

/** A cache of small entries: the least recently used one goes when there are too many. */
export class EntryCache<K extends {}, V extends {}> extends LRUCache<K, V> {
  readonly #stats: CacheStats;

  /**
   * @param name in the table of caches
   * @param options `sizeCalculation`: size of an entry, for names with a maximum size
   */
  constructor(name: EntryCacheName, { entries, onRemove, ...options }: Options<K, V> = {}) {
    const bound: CountBound = ENTRY_CACHES[name];
    const stats = statsOf(name);
    super({
      ...options,
      max: entries ?? bound.entries,
      ...(bound.size === undefined ? {} : { maxSize: bound.size }),
      dispose: (value, _key, reason) => {
        if (reason === 'evict') stats.evictions += 1;
        onRemove?.(value);
      },
    });
    this.#stats = stats;
  }

  /** The value of a key, which counts as used; undefined if there is none. */
  override get(key: K): V | undefined {
    const value = super.get(key);
    if (value === undefined) this.#stats.misses += 1;
    else this.#stats.hits += 1;
    return value;
  }
}
