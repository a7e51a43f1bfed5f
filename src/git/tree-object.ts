import { commonEnd, commonStart } from './common-bytes.ts';
import { encodeBytes } from './git.bytes.ts';
import { type TreeEntry, typeOfMode } from './git.objects.ts';
import type { CopyContent } from './pooled-memory.ts';
import { asInTree, endOf, entryFrom, findEntry, isFolderAt, parseTree, SPACE, ZERO } from './tree-entries.ts';

const SLASH = 0x2f;

/** Where entries of a tree begin, and how many it has in all. */
export interface EntryPositions {
  folders: number[];
  files: number[];
  submodules: number[];
  count: number;
}

/** One tree, taken apart as far as somebody asks. */
export class TreeObject {
  readonly #oid: string;
  readonly #data: Buffer;
  #entries: readonly TreeEntry[] | undefined;

  /**
   * @param oid also says which hash its entries use
   * @param data its content, without git's object header; kept
   */
  constructor(oid: string, data: Buffer) {
    this.#oid = oid;
    this.#data = data;
  }

  /** The length of the ids in it. */
  get idBytes(): number {
    return this.#oid.length / 2;
  }

  /** About how many bytes it takes. */
  get size(): number {
    return 200 + this.#data.length + (this.#entries?.length ?? 0) * 220;
  }

  /** Its content, without git's object header: not to be changed. */
  get content(): Buffer {
    return this.#data;
  }

  /** The same with a copy of its content. */
  copied(copy: CopyContent): TreeObject {
    return new TreeObject(this.#oid, copy(this.#data));
  }

  /** Whether all of its entries are at hand. */
  get isParsed(): boolean {
    return this.#entries !== undefined;
  }

  /**
   * Its entries in git's order. Shared: not to be changed.
   * @throws GitError `corrupt` where an entry is cut short
   */
  get entries(): readonly TreeEntry[] {
    this.#entries ??= parseTree(this.#oid, this.#data);
    return this.#entries;
  }

  /**
   * The entry of a name; null where there is none. The others are not taken apart.
   * @throws GitError `corrupt` where it is cut short
   */
  find(name: string): TreeEntry | null {
    if (this.#entries !== undefined) return this.#entries.find((entry) => entry.name === name) ?? null;
    const found = findEntry(this.#oid, this.#data, asInTree(name));
    return found === null ? null : { ...found, name, type: typeOfMode(found.mode) };
  }

  /**
   * Where its entries begin, by what they are.
   * @param limit of each kind; the others are only counted
   * @throws GitError `corrupt` where an entry is cut short
   */
  positions(limit = Number.POSITIVE_INFINITY): EntryPositions {
    const data = this.#data;
    const [folders, files, submodules]: [number[], number[], number[]] = [[], [], []];
    let count = 0;
    for (let at = 0; at < data.length; at = this.endOf(at), count += 1) {
      // `40000`, `040000` and `160000` are told from all others by two digits.
      const start = data[at] === ZERO ? at + 1 : at;
      let kind = files;
      if (data[start] === ZERO + 4) kind = folders;
      else if (data[start] === ZERO + 1 && data[start + 1] === ZERO + 6) kind = submodules;
      if (kind.length < limit) kind.push(at);
    }
    return { folders, files, submodules, count };
  }

  /** The entry that begins at one of the `positions`. */
  entryFrom(at: number): TreeEntry {
    return entryFrom(this.#oid, this.#data, at, this.endOf(at));
  }

  /** How many entries it has. @throws GitError `corrupt` where one is cut short */
  get count(): number {
    if (this.#entries !== undefined) return this.#entries.length;
    let count = 0;
    for (let at = 0; at < this.#data.length; at = this.endOf(at)) count += 1;
    return count;
  }

  /**
   * The entries in which it differs from another: those that only it has, and those that only the other one has. What they
   * have in common is not taken apart.
   * @throws GitError `corrupt` where an entry is cut short
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
      // Entries begin at the same places in what both end with.
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
   * Its content with other entries; what stays is taken over as it is.
   * @param changes by the names of the entries that go; one in whose place another comes is encoded as `encodeEntry` does it
   * @throws GitError `corrupt` where an entry is cut short
   */
  edited(changes: ReadonlyMap<string, Buffer | null>): Buffer {
    const going: number[] = [];
    const coming: { key: Buffer; bytes: Buffer }[] = [];
    for (const [name, bytes] of changes) {
      // One by one: there may be more than a call takes arguments.
      for (const place of placesOf(asInTree(name), this.#data)) going.push(place);
      if (bytes !== null) coming.push({ key: encodeBytes(isFolderAt(bytes, 0) ? `${name}/` : name), bytes });
    }
    // By byte, as git sorts.
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

  /** Where the entry ends that begins at a place. @throws GitError `corrupt` where it is cut short */
  endOf(at: number): number {
    return endOf(this.#oid, this.#data, at);
  }
}

/** Where a name stands as `asInTree` gives it, and where something only looks like it: within a longer name, or an id. */
function placesOf(name: Buffer, data: Buffer): number[] {
  const places: number[] = [];
  for (let at = data.indexOf(name); at >= 0; at = data.indexOf(name, at + 1)) places.push(at);
  return places;
}

/** Goes along the entries of a tree. */
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

  /** Bytes from its entry on. */
  get left(): number {
    return this.#data.length - this.#start;
  }

  /** Passes the entries that end within so many bytes from the beginning. */
  skip(bytes: number): void {
    while (!this.isOver && this.#end <= bytes) this.next();
  }

  /** Whether both are at the same entry. */
  sameAs(other: Walk): boolean {
    const length = this.#end - this.#start;
    if (other.#end - other.#start !== length) return false;
    const [a, b, from, there] = [this.#data, other.#data, this.#start, other.#start];
    // The ids come last.
    for (let n = length - 1; n >= 0; n -= 1) if (a[from + n] !== b[there + n]) return false;
    return true;
  }

  get entry(): TreeEntry {
    return this.#tree.entryFrom(this.#start);
  }

  /** Where it begins, and where the next one does. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /** What git sorts by, as Latin-1. */
  get sortKey(): string {
    const name = this.#data.toString('latin1', this.#nameStart, this.#nameEnd);
    return isFolderAt(this.#data, this.#start) ? `${name}/` : name;
  }

  /** Whether it comes behind what git sorts by `key`. */
  isBehind(key: Buffer): boolean {
    const [start, end, { length }] = [this.#nameStart, this.#nameEnd, key];
    for (let n = 0; n < length; n += 1) {
      const mine = this.#keyByte(start + n, end);
      if (mine !== key[n]) return mine > key[n]!;
    }
    return this.#keyByte(start + length, end) >= 0;
  }

  /** Whether its name is what stands as `asInTree` gives it at a place. */
  isNameAt(place: number): boolean {
    return place === this.#nameStart - 1;
  }

  /** A byte of what git sorts by; -1 behind it. */
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
