import { isMainThread } from 'node:worker_threads';
import { releasedWhenIdle } from './idle-memory.ts';
import { Lately } from './lately.ts';

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
  readonly cameAt: number;
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
interface Member {
  readonly share: number;
  /** What was asked for once, and what again. */
  readonly once: List;
  readonly again: List;
  giveUp(entry: Entry): void;
  giveUpUnused(since: number): void;
  release(): void;
}

/**
 * What caches share: how much they may hold together. What was asked for once has a part of it, so that what comes by once does not
 * drive out what is asked for again and again.
 */
export class KeptTogether {
  readonly #most: number;
  readonly #mostOnce: number;
  readonly #caches = new Set<Member>();
  /** Keys that something was kept under before. */
  readonly #known = new Lately();
  #timer: NodeJS.Timeout | undefined;
  bytes = 0;
  once = 0;
  /** Bytes that have come since the start. */
  came = 0;
  sweeps = 0;

  /**
   * @param most bytes of all
   * @param once bytes of what was asked for once
   */
  constructor(most: number = TOGETHER, once: number = ONCE) {
    this.#most = most;
    this.#mostOnce = once;
  }

  /** What one value may take at most. @param isDear whether it counts as asked for again from the beginning */
  mostOfOne(isDear: boolean): number {
    return isDear ? this.#most : Math.floor(this.#mostOnce / 2);
  }

  /** Whether somebody who asks for an entry does so again, and not in the same request. */
  isAgain({ cameAt, bytes }: Entry): boolean {
    return this.came - cameAt - bytes > this.#mostOnce / SAME_ASKING;
  }

  /** Whether something was kept under this key lately; from now on it was. */
  wasKnown(key: unknown): boolean {
    return typeof key === 'string' && this.#known.again(key);
  }

  /** Takes a cache that holds something now, or that has given up all. */
  takes(cache: Member, holdsAny: boolean): void {
    if (holdsAny) this.#caches.add(cache);
    else this.#caches.delete(cache);
    if (this.#caches.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Gives up as much as is too much. */
  bound(): void {
    while (this.once > this.#mostOnce) this.#giveUp((cache) => cache.once);
    while (this.bytes > this.#most) {
      if (this.bytes > this.once) this.#giveUp((cache) => cache.again);
      else this.#giveUp((cache) => cache.once);
    }
  }

  /** Gives up what nobody has asked for in the last ten minutes; called once a minute. */
  sweep(): void {
    this.sweeps += 1;
    for (const cache of this.#caches) cache.giveUpUnused(this.sweeps - IDLE_SWEEPS);
  }

  /** Gives up all but what is dear. */
  release(): void {
    for (const cache of this.#caches) cache.release();
  }

  /** Gives up the oldest of the cache that has most of its share in these lists. */
  #giveUp(listOf: (cache: Member) => List): void {
    let worst: Member | undefined;
    let most = 0;
    for (const cache of this.#caches) {
      const part = listOf(cache).bytes / cache.share;
      if (part <= most) continue;
      most = part;
      worst = cache;
    }
    worst!.giveUp(listOf(worst!).oldest!);
  }
}

const together = new KeptTogether();
releasedWhenIdle(() => together.release());

/** A cache within the bytes that all caches of the thread may hold: what it keeps can go at any time. */
export class Kept<K, V> implements Member {
  /** About how many bytes it may hold, and how much that is beside others. */
  readonly share: number;
  readonly once = new List();
  readonly again = new List();
  readonly #entries = new Map<K, Entry>();
  readonly #all: KeptTogether;
  readonly #mostOfOne: number;
  readonly #isDear: boolean;
  readonly #sizeOf: (value: V, key: K) => number;

  /**
   * @param share bytes that it may hold
   * @param sizeOf about how many bytes a value takes with its key
   * @param options `mostOfOne` bytes of one value, or it is not kept; `isDear` where a value takes so much time that it is kept as if
   *   it had been asked for again; `all` whom it shares memory with
   */
  constructor(
    share: number,
    sizeOf: (value: V, key: K) => number,
    {
      mostOfOne = share,
      isDear = false,
      all = together,
    }: { mostOfOne?: number; isDear?: boolean; all?: KeptTogether } = {},
  ) {
    this.share = share;
    this.#sizeOf = sizeOf;
    this.#all = all;
    this.#isDear = isDear;
    this.#mostOfOne = Math.min(mostOfOne, all.mostOfOne(isDear));
  }

  /** How many values it holds. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.once.bytes + this.again.bytes;
  }

  /** What is kept under a key. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#all.sweeps;
    if (entry.list === this.once && this.#all.isAgain(entry)) {
      this.#leave(entry);
      this.#enter(entry, this.again);
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
    if (before !== undefined) this.giveUp(before);
    if (bytes > this.#mostOfOne) return;
    const all = this.#all;
    const list = before?.list ?? (this.#isDear || all.wasKnown(key) ? this.again : this.once);
    const cameAt = before?.cameAt ?? all.came;
    const entry = { key, value, bytes, cameAt, usedAt: all.sweeps, list, newer: undefined, older: undefined };
    if (before === undefined) all.came += bytes;
    if (this.#entries.size === 0) all.takes(this, true);
    this.#entries.set(key, entry);
    this.#enter(entry, list);
    while (this.bytes > this.share) this.#giveUpOne();
    all.bound();
  }

  /** Forgets what is kept under a key. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.giveUp(entry);
  }

  /** Forgets an entry. */
  giveUp(entry: Entry): void {
    this.#leave(entry);
    this.#entries.delete(entry.key as K);
    if (this.#entries.size === 0) this.#all.takes(this, false);
  }

  /** Forgets what nobody has asked for since a sweep. */
  giveUpUnused(since: number): void {
    for (const list of [this.once, this.again]) {
      while (list.oldest !== undefined && list.oldest.usedAt < since) this.giveUp(list.oldest);
    }
  }

  /** Forgets all, unless it is dear. */
  release(): void {
    if (!this.#isDear) for (const entry of this.#entries.values()) this.giveUp(entry);
  }

  /** What was asked for once keeps a quarter. */
  #giveUpOne(): void {
    const { once, again } = this;
    const isOnce = again.oldest === undefined || (once.bytes * 4 > this.share && once.oldest !== once.newest);
    this.giveUp((isOnce ? once : again).oldest!);
  }

  #enter(entry: Entry, list: List): void {
    list.add(entry);
    this.#all.bytes += entry.bytes;
    if (list === this.once) this.#all.once += entry.bytes;
  }

  #leave(entry: Entry): void {
    entry.list.remove(entry);
    this.#all.bytes -= entry.bytes;
    if (entry.list === this.once) this.#all.once -= entry.bytes;
  }
}
