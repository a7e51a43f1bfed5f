import type { ObjectType } from '../git.objects.ts';
import { allocateScratch } from './buffer-pool.ts';

/** What part of all memory one content may take. */
const SHARE = 32;
/** A small content takes as much, so that there are not too many. */
const LEAST = 512;

interface CachedBase {
  readonly type: ObjectType;
  readonly at: number;
  readonly end: number;
  readonly offset: number;
  /** The contents of the same file, among which it is. */
  readonly of: Bases;
}

/** Of one file: contents by their offsets. */
export type Bases = Map<number, CachedBase>;

/**
 * What deltas were applied to, in one piece of memory that is filled around: what is written over is forgotten, and what was asked
 * for while it was old is written anew.
 */
export class DeltaBaseCache {
  readonly #bytes: number;
  #memory: Buffer | undefined;
  /** As they lie in memory, the one that is written over next first. */
  readonly #entries: CachedBase[] = [];
  #oldest = 0;
  #next = 0;

  /** @param bytes that it may take */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** The content at an offset, until another one is set. */
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

  /** Keeps a content, where it is not too large. */
  set(bases: Bases, offset: number, type: ObjectType, data: Buffer): void {
    if (data.length * SHARE > this.#bytes || bases.has(offset)) return;
    this.#put(bases, offset, type, data);
  }

  /** Forgets all, and gives the memory back. */
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
      // What is left at the end is no piece of its own.
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

  /** Forgets what lies in a piece of memory that is written next. */
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
