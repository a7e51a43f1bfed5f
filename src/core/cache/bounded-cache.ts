import { type BudgetMember, type CacheBudget, type CacheEntry, CacheEntryList, sharedBudget } from './cache-budget.ts';
import { type CacheStats, newStats, statsOf } from './cache-stats.ts';
import { BYTE_CACHES, type ByteBound, type ByteCacheName } from './cache-table.ts';

/** A cache whose entries can be evicted at any time to keep a shared memory limit. */
export class BoundedCache<K, V> implements BudgetMember {
  /** Bytes that it holds at most; also its weight among the caches of the budget. */
  readonly share: number;
  readonly probationList = new CacheEntryList();
  readonly protectedList = new CacheEntryList();
  readonly #entries = new Map<K, CacheEntry>();
  readonly #budget: CacheBudget;
  readonly #maxEntryBytes: number;
  readonly #isCostly: boolean;
  readonly #stats: CacheStats;
  readonly #sizeOf: (value: V, key: K) => number;

  /**
   * @param name in the table of caches, or the bound of a cache without a name
   * @param sizeOf estimates the bytes of a value with its key
   * @param options `bytes`: replaces those of the table; `budget`: the limit shared with other caches
   */
  constructor(
    name: ByteCacheName | Omit<ByteBound, 'scope'>,
    sizeOf: (value: V, key: K) => number,
    options: { bytes?: number | undefined; budget?: CacheBudget } = {},
  ) {
    const bound: Omit<ByteBound, 'scope'> = typeof name === 'string' ? BYTE_CACHES[name] : name;
    const { bytes = bound.bytes, budget = sharedBudget } = options;
    const { maxEntryShare = 1, isCostly = false } = bound;
    this.share = bytes;
    this.#sizeOf = sizeOf;
    this.#budget = budget;
    this.#isCostly = isCostly;
    this.#stats = typeof name === 'string' ? statsOf(name) : newStats();
    this.#maxEntryBytes = Math.min(Math.ceil(bytes * maxEntryShare), budget.maxEntryBytes(isCostly));
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all entries. */
  get bytes(): number {
    return this.probationList.bytes + this.protectedList.bytes;
  }

  /** Returns the value of a key and marks it as used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#stats.misses += 1;
      return undefined;
    }
    this.#stats.hits += 1;
    entry.usedAt = this.#budget.sweeps;
    if (entry.list === this.probationList && this.#budget.isRepeatedUse(entry)) {
      this.#unlink(entry);
      this.#link(entry, this.protectedList);
    } else if (entry.list.newest !== entry) {
      entry.list.remove(entry);
      entry.list.add(entry);
    }
    return entry.value as V;
  }

  /** Stores a value, replacing an earlier one. Values above the size limit are not stored. */
  set(key: K, value: V): void {
    const bytes = this.#sizeOf(value, key);
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(before);
    if (bytes > this.#maxEntryBytes) return;
    const budget = this.#budget;
    const list = before?.list ?? (this.#isCostly || budget.isKnownKey(key) ? this.protectedList : this.probationList);
    const insertedAt = before?.insertedAt ?? budget.insertedBytes;
    const entry = { key, value, bytes, insertedAt, usedAt: budget.sweeps, list, newer: undefined, older: undefined };
    if (before === undefined) budget.insertedBytes += bytes;
    if (this.#entries.size === 0) budget.setActive(this, true);
    this.#entries.set(key, entry);
    this.#link(entry, list);
    while (this.bytes > this.share) this.#evictOne();
    budget.evictExcess();
  }

  /** Removes the entry of a key. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(entry);
  }

  /** Removes an entry to make room. */
  evict(entry: CacheEntry): void {
    this.#stats.evictions += 1;
    this.#remove(entry);
  }

  #remove(entry: CacheEntry): void {
    this.#unlink(entry);
    this.#entries.delete(entry.key as K);
    if (this.#entries.size === 0) this.#budget.setActive(this, false);
  }

  /** Evicts entries unused since a sweep. */
  evictUnused(since: number): void {
    for (const list of [this.probationList, this.protectedList]) {
      while (list.oldest !== undefined && list.oldest.usedAt < since) this.evict(list.oldest);
    }
  }

  /** Evicts all entries, unless they are costly. */
  release(): void {
    if (!this.#isCostly) this.clear();
  }

  /** Evicts all entries. */
  clear(): void {
    for (const entry of this.#entries.values()) this.evict(entry);
  }

  /** Evicts one entry; a quarter of the share is left to entries on probation. */
  #evictOne(): void {
    const { probationList, protectedList } = this;
    const fromProbation =
      protectedList.oldest === undefined ||
      (probationList.bytes * 4 > this.share && probationList.oldest !== probationList.newest);
    this.evict((fromProbation ? probationList : protectedList).oldest!);
  }

  #link(entry: CacheEntry, list: CacheEntryList): void {
    list.add(entry);
    this.#budget.bytes += entry.bytes;
    this.#stats.bytes += entry.bytes;
    if (list === this.probationList) this.#budget.probationBytes += entry.bytes;
  }

  #unlink(entry: CacheEntry): void {
    entry.list.remove(entry);
    this.#budget.bytes -= entry.bytes;
    this.#stats.bytes -= entry.bytes;
    if (entry.list === this.probationList) this.#budget.probationBytes -= entry.bytes;
  }
}
