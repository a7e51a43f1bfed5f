import { type CopyContent, commonEnd, commonStart, encodeBytes } from '../common/index.ts';
import { type TreeEntry, typeOfMode } from './git.objects.ts';
import { asInTree, endOf, entryFrom, findEntry, isFolderAt, parseTree, SPACE, ZERO } from './tree-entries.ts';

const SLASH = 0x2f;

/** Start positions of entries of a tree, and their total number. */
export interface EntryPositions {
  folders: number[];
  files: number[];
  submodules: number[];
  count: number;
}

/** A tree that is parsed on demand. */
export class TreeObject {
  readonly #oid: string;
  readonly #data: Buffer;
  #entries: readonly TreeEntry[] | undefined;

  /**
   * @param oid determines the object format
   * @param data content without git's object header; kept
   */
  constructor(oid: string, data: Buffer) {
    this.#oid = oid;
    this.#data = data;
  }

  /** Length of the ids in it. */
  get idBytes(): number {
    return this.#oid.length / 2;
  }

  /** Approximate size in bytes. */
  get size(): number {
    return 200 + this.#data.length + (this.#entries?.length ?? 0) * 220;
  }

  /** Content without git's object header; must not be modified. */
  get content(): Buffer {
    return this.#data;
  }

  /** The same tree with a copy of its content. */
  copied(copy: CopyContent): TreeObject {
    return new TreeObject(this.#oid, copy(this.#data));
  }

  /** Whether all entries are parsed. */
  get isParsed(): boolean {
    return this.#entries !== undefined;
  }

  /**
   * Entries in git's order. Shared; must not be modified.
   * @throws GitError `corrupt` if an entry is truncated
   */
  get entries(): readonly TreeEntry[] {
    this.#entries ??= parseTree(this.#oid, this.#data);
    return this.#entries;
  }

  /**
   * Entry with this name; null if there is none. The others are not parsed.
   * @throws GitError `corrupt` if it is truncated
   */
  find(name: string): TreeEntry | null {
    if (this.#entries !== undefined) return this.#entries.find((entry) => entry.name === name) ?? null;
    const rawEntry = findEntry(this.#oid, this.#data, asInTree(name));
    return rawEntry === null ? null : { ...rawEntry, name, type: typeOfMode(rawEntry.mode) };
  }

  /**
   * Start positions of its entries by kind.
   * @param limit of each kind; the others are only counted
   * @throws GitError `corrupt` if an entry is truncated
   */
  positions(limit = Number.POSITIVE_INFINITY): EntryPositions {
    const data = this.#data;
    const [folders, files, submodules]: [number[], number[], number[]] = [[], [], []];
    let count = 0;
    for (let at = 0; at < data.length; at = this.endOf(at), count += 1) {
      // Two digits distinguish `40000`, `040000` and `160000` from all other modes.
      const start = data[at] === ZERO ? at + 1 : at;
      let kind = files;
      if (data[start] === ZERO + 4) kind = folders;
      else if (data[start] === ZERO + 1 && data[start + 1] === ZERO + 6) kind = submodules;
      if (kind.length < limit) kind.push(at);
    }
    return { folders, files, submodules, count };
  }

  /** The entry at one of the `positions`. */
  entryFrom(at: number): TreeEntry {
    return entryFrom(this.#oid, this.#data, at, this.endOf(at));
  }

  /** Number of entries. @throws GitError `corrupt` if one is truncated */
  get count(): number {
    if (this.#entries !== undefined) return this.#entries.length;
    let count = 0;
    for (let at = 0; at < this.#data.length; at = this.endOf(at)) count += 1;
    return count;
  }

  /**
   * Entries that exist only in this tree, and only in the other one. Common entries are not parsed.
   * @throws GitError `corrupt` if an entry is truncated
   */
  differences(other: TreeObject): { here: TreeEntry[]; there: TreeEntry[] } {
    const [one, two] = [new Walk(this), new Walk(other)];
    const [here, there]: [TreeEntry[], TreeEntry[]] = [[], []];
    const shorter = Math.min(this.#data.length, other.#data.length);
    const before = commonStart(this.#data, other.#data, shorter);
    const behind = commonEnd(this.#data, other.#data, shorter);
    one.skip(before);
    two.skip(before);
    while (!one.isOver && !two.isOver) {
      // In the common suffix, entries start at the same positions.
      if (one.left === two.left && one.left <= behind) return { here, there };
      if (one.sameAs(two)) {
        one.next();
        two.next();
        continue;
      }
      const [a, b] = [one.sortKey, two.sortKey];
      if (a <= b) {
        here.push(one.entry);
        one.next();
      }
      if (b <= a) {
        there.push(two.entry);
        two.next();
      }
    }
    for (; !one.isOver; one.next()) here.push(one.entry);
    for (; !two.isOver; two.next()) there.push(two.entry);
    return { here, there };
  }

  /**
   * Content after changes to entries; the rest is copied as it is.
   * @param changes by entry name: null removes an entry, a replacement is encoded by `encodeEntry`
   * @throws GitError `corrupt` if an entry is truncated
   */
  edited(changes: ReadonlyMap<string, Buffer | null>): Buffer {
    const going: number[] = [];
    const coming: { key: Buffer; bytes: Buffer }[] = [];
    for (const [name, bytes] of changes) {
      // One by one, since the number of arguments of a call is limited.
      for (const place of placesOf(asInTree(name), this.#data)) going.push(place);
      if (bytes !== null) coming.push({ key: encodeBytes(isFolderAt(bytes, 0) ? `${name}/` : name), bytes });
    }
    // In byte order, as git sorts.
    coming.sort((a, b) => Buffer.compare(a.key, b.key));
    going.sort((a, b) => a - b);
    const parts: Buffer[] = [];
    const data = this.#data;
    let from = 0;
    let next = 0;
    let gone = 0;
    for (const walk = new Walk(this); !walk.isOver; walk.next()) {
      for (; next < coming.length && walk.isBehind(coming[next]!.key); next += 1) {
        parts.push(data.subarray(from, walk.start), coming[next]!.bytes);
        from = walk.start;
      }
      let goes = false;
      for (; gone < going.length && going[gone]! < walk.end; gone += 1) goes ||= walk.isNameAt(going[gone]!);
      if (!goes) continue;
      parts.push(data.subarray(from, walk.start));
      from = walk.end;
    }
    parts.push(data.subarray(from));
    for (; next < coming.length; next += 1) parts.push(coming[next]!.bytes);
    return Buffer.concat(parts);
  }

  /** End of the entry that starts at a position. @throws GitError `corrupt` if it is truncated */
  endOf(at: number): number {
    return endOf(this.#oid, this.#data, at);
  }
}

/** Positions of a name in the form of `asInTree`, including false matches inside a longer name or an id. */
function placesOf(name: Buffer, data: Buffer): number[] {
  const places: number[] = [];
  for (let at = data.indexOf(name); at >= 0; at = data.indexOf(name, at + 1)) places.push(at);
  return places;
}

/** Iterates over the entries of a tree. */
class Walk {
  readonly #tree: TreeObject;
  readonly #data: Buffer;
  #start = 0;
  #end = 0;

  constructor(tree: TreeObject) {
    this.#tree = tree;
    this.#data = tree.content;
    if (!this.isOver) this.#end = tree.endOf(0);
  }

  get isOver(): boolean {
    return this.#start >= this.#data.length;
  }

  next(): void {
    this.#start = this.#end;
    if (!this.isOver) this.#end = this.#tree.endOf(this.#start);
  }

  /** Number of bytes from its entry on. */
  get left(): number {
    return this.#data.length - this.#start;
  }

  /** Skips the entries that end within this many bytes from the start. */
  skip(bytes: number): void {
    while (!this.isOver && this.#end <= bytes) this.next();
  }

  /** Whether both are at the same entry. */
  sameAs(other: Walk): boolean {
    const length = this.#end - this.#start;
    if (other.#end - other.#start !== length) return false;
    const [a, b, from, there] = [this.#data, other.#data, this.#start, other.#start];
    // Ids come last, so compare backwards.
    for (let n = length - 1; n >= 0; n -= 1) if (a[from + n] !== b[there + n]) return false;
    return true;
  }

  get entry(): TreeEntry {
    return this.#tree.entryFrom(this.#start);
  }

  /** Start of the entry, and start of the next one. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /** Git's sort key as Latin-1. */
  get sortKey(): string {
    const name = this.#data.toString('latin1', this.#nameStart, this.#nameEnd);
    return isFolderAt(this.#data, this.#start) ? `${name}/` : name;
  }

  /** Whether it sorts after `key`. */
  isBehind(key: Buffer): boolean {
    const [start, end, { length }] = [this.#nameStart, this.#nameEnd, key];
    for (let n = 0; n < length; n += 1) {
      const mine = this.#keyByte(start + n, end);
      if (mine !== key[n]) return mine > key[n]!;
    }
    return this.#keyByte(start + length, end) >= 0;
  }

  /** Whether its name equals the one encoded at a position. */
  isNameAt(place: number): boolean {
    return place === this.#nameStart - 1;
  }

  /** A byte of the sort key; -1 past its end. */
  #keyByte(at: number, end: number): number {
    if (at < end) return this.#data[at]!;
    return at === end && isFolderAt(this.#data, this.#start) ? SLASH : -1;
  }

  get #nameStart(): number {
    let at = this.#start;
    while (this.#data[at] !== SPACE && at < this.#end) at += 1;
    return at + 1;
  }

  get #nameEnd(): number {
    return this.#end - this.#tree.idBytes - 1;
  }
}
