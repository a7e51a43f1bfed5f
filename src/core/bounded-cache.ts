import { isMainThread } from 'node:worker_threads';
import { releaseWhenIdle } from './idle-memory.ts';
import { SeenFilter } from './seen-filter.ts';

const MiB = 1024 * 1024;
/** What all caches of a thread may hold; those that read beside the main one keep little that is asked for again. */
const TOGETHER = (isMainThread ? 24 : 8) * MiB;
/** What of it nobody has asked for again. */
const ONCE = TOGETHER / 3;
/** What nobody asks for is given up between ten minutes later and one more. */
const SWEEP_MS = 60_000;
const IDLE_SWEEPS = 10;
/** Asked again while so small a part of what is kept once has come since is still the same asking. */
const SAME_ASKING = 16;

interface Entry {
  readonly key: unknown;
  value: unknown;
  bytes: number;
  /** What had come in all before it. */
  readonly insertedAt: number;
  /** The sweep before which it was asked for last. */
  usedAt: number;
  list: List;
  newer: Entry | undefined;
  older: Entry | undefined;
}

/** Entries by when they were asked for last. */
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

/** A cache among others. */
interface BudgetMember {
  readonly share: number;
  /** What was asked for once, and what again. */
  readonly probationList: List;
  readonly protectedList: List;
  evict(entry: Entry): void;
  evictUnused(since: number): void;
  release(): void;
}

/**
 * What caches share: how much they may hold together. What was asked for once has a part of it, so that what comes by once does not
 * drive out what is asked for again and again.
 */
export class CacheBudget {
  readonly #maxBytes: number;
  readonly #maxProbationBytes: number;
  readonly #caches = new Set<BudgetMember>();
  /** Keys that something was kept under before. */
  readonly #seen = new SeenFilter();
  #timer: NodeJS.Timeout | undefined;
  bytes = 0;
  probationBytes = 0;
  /** Bytes that have come since the start. */
  insertedBytes = 0;
  sweeps = 0;

  /**
   * @param maxBytes bytes of all
   * @param maxProbationBytes bytes of what was asked for once
   */
  constructor(maxBytes: number = TOGETHER, maxProbationBytes: number = ONCE) {
    this.#maxBytes = maxBytes;
    this.#maxProbationBytes = maxProbationBytes;
  }

  /** What one value may take at most. @param isCostly whether it counts as asked for again from the beginning */
  maxEntryBytes(isCostly: boolean): number {
    return isCostly ? this.#maxBytes : Math.floor(this.#maxProbationBytes / 2);
  }

  /** Whether somebody who asks for an entry does so again, and not in the same request. */
  isRepeatedUse({ insertedAt, bytes }: Entry): boolean {
    return this.insertedBytes - insertedAt - bytes > this.#maxProbationBytes / SAME_ASKING;
  }

  /** Whether something was kept under this key lately; from now on it was. */
  isKnownKey(key: unknown): boolean {
    return typeof key === 'string' && this.#seen.testAndAdd(key);
  }

  /** Takes a cache that holds something now, or that has given up all. */
  setActive(cache: BudgetMember, holdsAny: boolean): void {
    if (holdsAny) this.#caches.add(cache);
    else this.#caches.delete(cache);
    if (this.#caches.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Gives up as much as is too much. */
  evictExcess(): void {
    while (this.probationBytes > this.#maxProbationBytes) this.#evict((cache) => cache.probationList);
    while (this.bytes > this.#maxBytes) {
      if (this.bytes > this.probationBytes) this.#evict((cache) => cache.protectedList);
      else this.#evict((cache) => cache.probationList);
    }
  }

  /** Gives up what nobody has asked for in the last ten minutes; called once a minute. */
  sweep(): void {
    this.sweeps += 1;
    for (const cache of this.#caches) cache.evictUnused(this.sweeps - IDLE_SWEEPS);
  }

  /** Gives up all but what is dear. */
  release(): void {
    for (const cache of this.#caches) cache.release();
  }

  /** Gives up the oldest of the cache that has most of its share in these lists. */
  #evict(listOf: (cache: BudgetMember) => List): void {
    let worst: BudgetMember | undefined;
    let maxBytes = 0;
    for (const cache of this.#caches) {
      const part = listOf(cache).bytes / cache.share;
      if (part <= maxBytes) continue;
      maxBytes = part;
      worst = cache;
    }
    worst!.evict(listOf(worst!).oldest!);
  }
}

const sharedBudget = new CacheBudget();
releaseWhenIdle(() => sharedBudget.release());

/** A cache within the bytes that all caches of the thread may hold: what it keeps can go at any time. */
export class BoundedCache<K, V> implements BudgetMember {
  /** About how many bytes it may hold, and how much that is beside others. */
  readonly share: number;
  readonly probationList = new List();
  readonly protectedList = new List();
  readonly #entries = new Map<K, Entry>();
  readonly #budget: CacheBudget;
  readonly #maxEntryBytes: number;
  readonly #isCostly: boolean;
  readonly #sizeOf: (value: V, key: K) => number;

  /**
   * @param share bytes that it may hold
   * @param sizeOf about how many bytes a value takes with its key
   * @param options `maxEntryBytes` bytes of one value, or it is not kept; `isCostly` where a value takes so much time that it is kept as if
   *   it had been asked for again; `budget` whom it shares memory with
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

  /** How many values it holds. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.probationList.bytes + this.protectedList.bytes;
  }

  /** What is kept under a key. */
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

  /** Keeps a value, in the place of an earlier one. */
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

  /** Forgets what is kept under a key. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.evict(entry);
  }

  /** Forgets an entry. */
  evict(entry: Entry): void {
    this.#unlink(entry);
    this.#entries.delete(entry.key as K);
    if (this.#entries.size === 0) this.#budget.setActive(this, false);
  }

  /** Forgets what nobody has asked for since a sweep. */
  evictUnused(since: number): void {
    for (const list of [this.probationList, this.protectedList]) {
      while (list.oldest !== undefined && list.oldest.usedAt < since) this.evict(list.oldest);
    }
  }

  /** Forgets all, unless it is dear. */
  release(): void {
    if (!this.#isCostly) for (const entry of this.#entries.values()) this.evict(entry);
  }

  /** What was asked for once keeps a quarter. */
  #evictOne(): void {
    const { probationList, protectedList } = this;
    const isOnce =
      protectedList.oldest === undefined ||
      (probationList.bytes * 4 > this.share && probationList.oldest !== probationList.newest);
    this.evict((isOnce ? probationList : protectedList).oldest!);
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
