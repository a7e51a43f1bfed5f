import { isMainThread } from 'node:worker_threads';
import { releaseWhenIdle } from './idle-memory.ts';
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

interface Entry {
  readonly key: unknown;
  value: unknown;
  bytes: number;
  /** Bytes inserted into the budget before this entry. */
  readonly insertedAt: number;
  /** Number of the sweep before the last use. */
  usedAt: number;
  list: List;
  newer: Entry | undefined;
  older: Entry | undefined;
}

/** Entries in order of their last use. */
class List {
  bytes = 0;
  newest: Entry | undefined;
  oldest: Entry | undefined;

  add(entry: Entry): void {
    entry.list = this;
    entry.newer = undefined;
    entry.older = this.newest;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
    this.bytes += entry.bytes;
  }

  remove(entry: Entry): void {
    if (entry.newer === undefined) this.newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === undefined) this.oldest = entry.newer;
    else entry.older.newer = entry.newer;
    this.bytes -= entry.bytes;
  }
}

/** A cache that shares a budget. */
interface BudgetMember {
  readonly share: number;
  /** Entries used once, and entries used repeatedly. */
  readonly probationList: List;
  readonly protectedList: List;
  evict(entry: Entry): void;
  evictUnused(since: number): void;
  release(): void;
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
  isRepeatedUse({ insertedAt, bytes }: Entry): boolean {
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

  /** Evicts the oldest entry of the cache that uses most of its share in the given lists. */
  #evict(listOf: (cache: BudgetMember) => List): void {
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

const sharedBudget = new CacheBudget();
releaseWhenIdle(() => sharedBudget.release());

/** A cache whose entries can be evicted at any time to keep a shared memory limit. */
export class BoundedCache<K, V> implements BudgetMember {
  /** Bytes that it holds at most; also its weight among the caches of the budget. */
  readonly share: number;
  readonly probationList = new List();
  readonly protectedList = new List();
  readonly #entries = new Map<K, Entry>();
  readonly #budget: CacheBudget;
  readonly #maxEntryBytes: number;
  readonly #isCostly: boolean;
  readonly #sizeOf: (value: V, key: K) => number;

  /**
   * @param share bytes that the cache holds at most
   * @param sizeOf estimates the bytes of a value with its key
   * @param options `maxEntryBytes`: larger values are not stored; `isCostly`: values are expensive to compute, so
   *   entries are protected from the beginning and outlast `release`; `budget`: the limit shared with other caches
   */
  constructor(
    share: number,
    sizeOf: (value: V, key: K) => number,
    {
      maxEntryBytes = share,
      isCostly = false,
      budget = sharedBudget,
    }: { maxEntryBytes?: number; isCostly?: boolean; budget?: CacheBudget } = {},
  ) {
    this.share = share;
    this.#sizeOf = sizeOf;
    this.#budget = budget;
    this.#isCostly = isCostly;
    this.#maxEntryBytes = Math.min(maxEntryBytes, budget.maxEntryBytes(isCostly));
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
    if (entry === undefined) return undefined;
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
    if (before !== undefined) this.evict(before);
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
    if (entry !== undefined) this.evict(entry);
  }

  /** Removes an entry. */
  evict(entry: Entry): void {
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
    if (!this.#isCostly) for (const entry of this.#entries.values()) this.evict(entry);
  }

  /** Evicts one entry; a quarter of the share is left to entries on probation. */
  #evictOne(): void {
    const { probationList, protectedList } = this;
    const fromProbation =
      protectedList.oldest === undefined ||
      (probationList.bytes * 4 > this.share && probationList.oldest !== probationList.newest);
    this.evict((fromProbation ? probationList : protectedList).oldest!);
  }

  #link(entry: Entry, list: List): void {
    list.add(entry);
    this.#budget.bytes += entry.bytes;
    if (list === this.probationList) this.#budget.probationBytes += entry.bytes;
  }

  #unlink(entry: Entry): void {
    entry.list.remove(entry);
    this.#budget.bytes -= entry.bytes;
    if (entry.list === this.probationList) this.#budget.probationBytes -= entry.bytes;
  }
}
