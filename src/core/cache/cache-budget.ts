import { isMainThread } from 'node:worker_threads';
import { onForget, THIS_PROCESS } from '../forgetting.ts';
import { releaseWhenIdle } from '../idle-memory.ts';
import { SeenFilter } from './seen-filter.ts';

const MiB = 1024 * 1024;
/**
 * Bytes that all caches of a thread hold together. Reader threads get less: they are rarely asked for the same again.
 */
const MAX_BYTES = (isMainThread ? 16 : 6) * MiB;
/** The part of it for entries on probation. */
const MAX_PROBATION_BYTES = MAX_BYTES / 3;
/** Unused entries are evicted after ten to eleven minutes. */
const SWEEP_MS = 60_000;
const IDLE_SWEEPS = 10;
/** A second use counts as repeated once this fraction of the probation bytes was inserted after the entry. */
const REPEAT_DIVISOR = 16;

/** An entry of a cache in bytes. */
export interface CacheEntry {
  readonly key: unknown;
  value: unknown;
  bytes: number;
  /** Bytes inserted into the budget before this entry. */
  readonly insertedAt: number;
  /** Number of the sweep before the last use. */
  usedAt: number;
  list: CacheEntryList;
  newer: CacheEntry | undefined;
  older: CacheEntry | undefined;
}

/** Entries in order of their last use. */
export class CacheEntryList {
  bytes = 0;
  newest: CacheEntry | undefined;
  oldest: CacheEntry | undefined;

  add(entry: CacheEntry): void {
    entry.list = this;
    entry.newer = undefined;
    entry.older = this.newest;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
    this.bytes += entry.bytes;
  }

  remove(entry: CacheEntry): void {
    if (entry.newer === undefined) this.newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === undefined) this.oldest = entry.newer;
    else entry.older.newer = entry.newer;
    this.bytes -= entry.bytes;
  }
}

/** A cache that shares a budget. */
export interface BudgetMember {
  readonly share: number;
  /** Entries used once, and entries used repeatedly. */
  readonly probationList: CacheEntryList;
  readonly protectedList: CacheEntryList;
  evict(entry: CacheEntry): void;
  evictUnused(since: number): void;
  release(): void;
  clear(): void;
}

/**
 * Memory limit shared by several caches. Entries used only once are limited to a part of it, so that a scan does not
 * evict entries in repeated use.
 */
export class CacheBudget {
  readonly #maxBytes: number;
  readonly #maxProbationBytes: number;
  readonly #caches = new Set<BudgetMember>();
  /** Keys of earlier entries. */
  readonly #seen = new SeenFilter();
  #timer: NodeJS.Timeout | undefined;
  bytes = 0;
  probationBytes = 0;
  /** Bytes inserted since the start. */
  insertedBytes = 0;
  sweeps = 0;

  /**
   * @param maxBytes bytes of all entries
   * @param maxProbationBytes bytes of the entries used once
   */
  constructor(maxBytes: number = MAX_BYTES, maxProbationBytes: number = MAX_PROBATION_BYTES) {
    this.#maxBytes = maxBytes;
    this.#maxProbationBytes = maxProbationBytes;
  }

  /** Largest size of one entry. @param isCostly whether its entries are protected from the beginning */
  maxEntryBytes(isCostly: boolean): number {
    return isCostly ? this.#maxBytes : Math.floor(this.#maxProbationBytes / 2);
  }

  /** Whether a use of an entry counts as repeated, rather than as part of the use that inserted it. */
  isRepeatedUse({ insertedAt, bytes }: CacheEntry): boolean {
    return this.insertedBytes - insertedAt - bytes > this.#maxProbationBytes / REPEAT_DIVISOR;
  }

  /** Records a key; returns whether it was already seen recently. */
  isKnownKey(key: unknown): boolean {
    return typeof key === 'string' && this.#seen.testAndAdd(key);
  }

  /** Adds a cache that holds entries, or removes one that holds none. */
  setActive(cache: BudgetMember, holdsAny: boolean): void {
    if (holdsAny) this.#caches.add(cache);
    else this.#caches.delete(cache);
    if (this.#caches.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Evicts entries until both limits are kept. */
  evictExcess(): void {
    while (this.probationBytes > this.#maxProbationBytes) this.#evict((cache) => cache.probationList);
    while (this.bytes > this.#maxBytes) {
      if (this.bytes > this.probationBytes) this.#evict((cache) => cache.protectedList);
      else this.#evict((cache) => cache.probationList);
    }
  }

  /** Evicts entries unused for ten minutes; called once a minute. */
  sweep(): void {
    this.sweeps += 1;
    for (const cache of this.#caches) cache.evictUnused(this.sweeps - IDLE_SWEEPS);
  }

  /** Evicts all entries but those of costly caches. */
  release(): void {
    for (const cache of this.#caches) cache.release();
  }

  /** Evicts all entries. */
  clear(): void {
    for (const cache of this.#caches) cache.clear();
  }

  /** Evicts the oldest entry of the cache that uses most of its share in the given lists. */
  #evict(listOf: (cache: BudgetMember) => CacheEntryList): void {
    let fullest: BudgetMember | undefined;
    let maxUse = 0;
    for (const cache of this.#caches) {
      const use = listOf(cache).bytes / cache.share;
      if (use <= maxUse) continue;
      maxUse = use;
      fullest = cache;
    }
    fullest!.evict(listOf(fullest!).oldest!);
  }
}

/** The budget of all caches of this thread that have none of their own. */
export const sharedBudget: CacheBudget = new CacheBudget();
releaseWhenIdle(() => sharedBudget.release());
onForget(THIS_PROCESS, () => sharedBudget.clear());
