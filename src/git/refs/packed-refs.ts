import { readFileSync, statSync } from 'node:fs';
import { EntryCache } from '../../core/cache/index.ts';
import { compareBytes, decodeBytes, encodeBytes, isOid } from '../common/index.ts';
import { type FileStamp, isMissing, isUnchanged, stampOf } from '../files/index.ts';

export interface Ref {
  /** Full name. */
  name: string;
  oid: string;
  /** Peeled target of an annotated tag, if recorded. */
  peeled?: string;
}

const EMPTY = Buffer.alloc(0);

/** Git's `packed-refs` file, kept as raw bytes and searched by bisection, so that a change only costs a re-read. */
export class PackedRefs {
  readonly #path: string;
  #stamp: FileStamp | undefined;
  #content: Buffer = EMPTY;
  #version = 0;
  /** Look-ups in the current content. */
  readonly #lookups = new EntryCache<string, { value: string | null }>('packed_refs');

  constructor(path: string) {
    this.#path = path;
  }

  /** Refreshes the content; returns a number that changes only with the content. */
  refresh(): number {
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) {
      this.#take(EMPTY);
      this.#stamp = undefined;
    } else if (this.#stamp === undefined || !isUnchanged(this.#stamp, stats)) {
      const stamp = stampOf(stats);
      this.#take(readSorted(this.#path));
      this.#stamp = stamp;
    }
    return this.#version;
  }

  #take(content: Buffer): void {
    if (content.equals(this.#content)) return;
    this.#content = content;
    this.#lookups.clear();
    this.#version += 1;
  }

  /** Packed object id of a full name, or null. Call `refresh` first. */
  find(name: string): string | null {
    let oid = this.#lookups.get(name);
    if (oid === undefined) {
      const ref = this.#refAt(this.#lowerBound(encodeBytes(name)));
      oid = { value: ref?.name === name ? ref.oid : null };
      this.#lookups.set(name, oid);
    }
    return oid.value;
  }

  /** Whether any reference is packed below a prefix. Call `refresh` first. */
  has(prefix: string): boolean {
    return this.#refAt(this.#lowerBound(encodeBytes(prefix)))?.name.startsWith(prefix) ?? false;
  }

  /** Packed references below a prefix, in byte order. Call `refresh` first. */
  below(prefix: string): Ref[] {
    const refs: Ref[] = [];
    for (let at = this.#lowerBound(encodeBytes(prefix)); at < this.#content.length; at = this.#next(at)) {
      const ref = this.#refAt(at);
      if (ref === null) continue;
      if (!ref.name.startsWith(prefix)) break;
      refs.push(ref);
    }
    return refs;
  }

  /** Start of the first entry whose name is not less than `key`. */
  #lowerBound(key: Buffer): number {
    let low = 0;
    let high = this.#content.length;
    while (low < high) {
      const middle = this.#entryStart(low + Math.floor((high - low) / 2), low);
      const space = this.#content.indexOf(0x20, middle);
      const end = this.#lineEnd(middle);
      const name = this.#content.subarray(space < 0 || space > end ? end : space + 1, end);
      if (Buffer.compare(name, key) < 0) low = this.#next(middle);
      else high = middle;
    }
    return low;
  }

  /** Start of the entry that contains the byte at `at`: its line, or the line before a `^` line. */
  #entryStart(at: number, low: number): number {
    let start = at;
    for (;;) {
      const feed = start === 0 ? -1 : this.#content.lastIndexOf(10, start - 1);
      start = Math.max(feed + 1, low);
      if (start === low || this.#content[start] !== 0x5e) return start;
      start -= 1;
    }
  }

  #lineEnd(at: number): number {
    const end = this.#content.indexOf(10, at);
    return end < 0 ? this.#content.length : end;
  }

  /** Start of the entry after the one at `at`. */
  #next(at: number): number {
    let next = Math.min(this.#lineEnd(at) + 1, this.#content.length);
    while (this.#content[next] === 0x5e) next = Math.min(this.#lineEnd(next) + 1, this.#content.length);
    return next;
  }

  #refAt(at: number): Ref | null {
    const end = this.#lineEnd(at);
    const space = this.#content.indexOf(0x20, at);
    if (space < 0 || space > end) return null;
    const oid = this.#content.toString('latin1', at, space);
    if (!isOid(oid)) return null;
    const name = decodeBytes(this.#content.subarray(space + 1, end));
    if (this.#content[end + 1] !== 0x5e) return { name, oid };
    return { name, oid, peeled: this.#content.toString('latin1', end + 2, this.#lineEnd(end + 1)) };
  }
}

function readSorted(path: string): Buffer {
  try {
    return sortedEntries(readFileSync(path));
  } catch (error) {
    if (isMissing(error)) return EMPTY;
    throw error;
  }
}

/** The entries of a file in byte order, without its header. Git's own files are sorted, as their header states. */
export function sortedEntries(file: Buffer): Buffer {
  let content = file;
  let header = '';
  if (content[0] === 0x23) {
    const end = content.indexOf(10);
    header = `${content.toString('latin1', 0, end < 0 ? content.length : end)} `;
    content = content.subarray(end < 0 ? content.length : end + 1);
  }
  if (header.includes(' sorted ') || content.length === 0) return content;
  const entries: { name: string; text: string }[] = [];
  for (const line of content.toString('latin1').split('\n')) {
    if (line.startsWith('^')) entries.at(-1)!.text += `${line}\n`;
    else if (line !== '' && !line.startsWith('#')) {
      entries.push({ name: line.slice(line.indexOf(' ') + 1), text: `${line}\n` });
    }
  }
  // Latin-1 strings have one character for each byte, so their order is the byte order.
  entries.sort((a, b) => compareBytes(a.name, b.name));
  return Buffer.from(entries.map((entry) => entry.text).join(''), 'latin1');
}
