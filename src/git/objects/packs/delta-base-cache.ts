import type { ObjectType } from '../../common/index.ts';
import { allocateScratch } from './buffer-pool.ts';

/** Divisor of the cache size that gives the maximum size of an entry. */
const SHARE = 32;
/** Minimum size accounted for an entry, which bounds the number of entries. */
const LEAST = 512;

interface CachedBase {
  readonly type: ObjectType;
  readonly at: number;
  readonly end: number;
  readonly offset: number;
  /** The entries of the same file. */
  readonly of: Bases;
}

/** Entries of one file by offset. */
export type Bases = Map<number, CachedBase>;

/**
 * Cache of delta bases in a ring buffer. New entries overwrite the oldest ones; an old entry that is used again is
 * written anew.
 */
export class DeltaBaseCache {
  readonly #bytes: number;
  #memory: Buffer | undefined;
  /** Entries in memory order, next to be overwritten first. */
  readonly #entries: CachedBase[] = [];
  #oldest = 0;
  #next = 0;

  /** @param bytes size of the cache */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** The content at an offset, valid until the next `set`. */
  get(bases: Bases, offset: number): { type: ObjectType; data: Buffer } | undefined {
    const entry = bases.get(offset);
    if (entry === undefined) return undefined;
    const { type, at, end } = entry;
    const data = this.#memory!.subarray(at, end);
    if ((this.#next - at + this.#bytes) % this.#bytes <= this.#bytes / 2) return { type, data };
    bases.delete(offset);
    const again = this.#put(bases, offset, type, data);
    return { type, data: this.#memory!.subarray(again.at, again.end) };
  }

  /** Caches a content unless it is too large. */
  set(bases: Bases, offset: number, type: ObjectType, data: Buffer): void {
    if (data.length * SHARE > this.#bytes || bases.has(offset)) return;
    this.#put(bases, offset, type, data);
  }

  /** Discards all entries and frees the memory. */
  release(): void {
    for (const { of, offset } of this.#entries.slice(this.#oldest)) of.delete(offset);
    this.#entries.length = 0;
    this.#oldest = 0;
    this.#next = 0;
    this.#memory = undefined;
  }

  #put(of: Bases, offset: number, type: ObjectType, data: Buffer): CachedBase {
    this.#memory ??= allocateScratch(this.#bytes);
    const taken = Math.max(data.length, LEAST);
    let at = this.#next;
    if (at + taken > this.#bytes) {
      // The remainder at the end is too small for an entry.
      this.#forget(at, this.#bytes);
      at = 0;
    }
    this.#forget(at, at + taken);
    this.#memory.set(data, at);
    this.#next = at + taken;
    const entry: CachedBase = { type, at, end: at + data.length, offset, of };
    of.set(offset, entry);
    this.#entries.push(entry);
    return entry;
  }

  /** Discards the entries in a range that is about to be overwritten. */
  #forget(from: number, to: number): void {
    for (; this.#oldest < this.#entries.length; this.#oldest += 1) {
      const entry = this.#entries[this.#oldest]!;
      if (entry.at < from || entry.at >= to) break;
      if (entry.of.get(entry.offset) === entry) entry.of.delete(entry.offset);
    }
    if (this.#oldest > 1_000 && this.#oldest * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#oldest);
      this.#oldest = 0;
    }
  }
}
