import { decodeBytes, encodeBytes } from './bytes.ts';
import { GitError } from './errors.ts';
import { type TreeEntry, typeOfMode } from './objects.ts';

const SPACE = 0x20;
const ZERO = 0x30;
const SLASH = Buffer.from('/');
const FOLDER = '40000';
/** A folder's may have six, too. */
const SIX_DIGITS = /^(?:1[026]0[0-7]{3}|040000)$/;

/** Where entries of a tree begin. */
export interface EntryPlaces {
  folders: number[];
  files: number[];
  submodules: number[];
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
   * @throws GitError `corrupt` where an entry is cut short
   */
  places(): EntryPlaces {
    const data = this.#data;
    const places: EntryPlaces = { folders: [], files: [], submodules: [] };
    for (let at = 0; at < data.length; at = this.endOf(at)) {
      // `40000`, `040000` and `160000` are told from all others by two digits.
      const start = data[at] === ZERO ? at + 1 : at;
      if (data[start] === ZERO + 4) places.folders.push(at);
      else if (data[start] === ZERO + 1 && data[start + 1] === ZERO + 6) places.submodules.push(at);
      else places.files.push(at);
    }
    return places;
  }

  /** The entry that begins at one of the `places`. */
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
    while (!one.isOver && !two.isOver) {
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
    const going: Buffer[] = [];
    const coming: { key: Buffer; bytes: Buffer }[] = [];
    for (const [name, bytes] of changes) {
      const plain = encodeBytes(name);
      going.push(plain);
      if (bytes !== null) coming.push({ key: isFolderAt(bytes, 0) ? Buffer.concat([plain, SLASH]) : plain, bytes });
    }
    // By byte, as git does; each is met once on the way along the tree.
    going.sort(Buffer.compare);
    coming.sort((a, b) => Buffer.compare(a.key, b.key));
    const parts: Buffer[] = [];
    const data = this.#data;
    let from = 0;
    let next = 0;
    for (const walk = new Walk(this); !walk.isOver; walk.next()) {
      for (; next < coming.length && walk.isBehind(coming[next]!.key); next += 1) {
        parts.push(data.subarray(from, walk.start), coming[next]!.bytes);
        from = walk.start;
      }
      if (!walk.isOneOf(going)) continue;
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

const isFolderAt = (data: Buffer, at: number): boolean => data[data[at] === ZERO ? at + 1 : at] === ZERO + 4;

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

  /** Whether its name is one of these. @param names sorted by byte */
  isOneOf(names: readonly Buffer[]): boolean {
    const [start, end] = [this.#nameStart, this.#nameEnd];
    let low = 0;
    for (let high = names.length; low < high; ) {
      const middle = (low + high) >> 1;
      const name = names[middle]!;
      let n = 0;
      while (n < name.length && start + n < end && this.#data[start + n] === name[n]) n += 1;
      if (n === name.length && start + n === end) return true;
      if (n < name.length && (start + n === end || this.#data[start + n]! < name[n]!)) high = middle;
      else low = middle + 1;
    }
    return false;
  }

  /** A byte of what git sorts by; -1 behind it. */
  #keyByte(at: number, end: number): number {
    if (at < end) return this.#data[at]!;
    return at === end && isFolderAt(this.#data, this.#start) ? SLASH[0]! : -1;
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

/** A name as it stands in a tree: after the mode, and before the id. */
export const asInTree = (name: string): Buffer => encodeBytes(` ${name}\0`);

/**
 * The entry of a name in a tree, without taking the others apart. What only looks like one, in the name or the id of another, is none.
 * @param oid of the tree; also says which hash its entries use
 * @param name as `asInTree` gives it
 * @returns its mode in six digits; null where there is none
 * @throws GitError `corrupt` where it is cut short
 */
export function findEntry(oid: string, data: Buffer, name: Buffer): { mode: string; oid: string } | null {
  if (name.indexOf(0) !== name.length - 1) return null;
  for (let at = data.indexOf(name); at >= 0; at = data.indexOf(name, at + 1)) {
    const mode = modeBefore(oid, data, at);
    if (mode === null) continue;
    const id = at + name.length;
    const end = id + oid.length / 2;
    if (end > data.length) throw cutShort(oid);
    return { mode, oid: data.toString('hex', id, end) };
  }
  return null;
}

/** The mode before a place, six digits long; null where no entry begins with it. */
function modeBefore(oid: string, data: Buffer, at: number): string | null {
  const six = data.toString('latin1', Math.max(0, at - 6), at);
  if (SIX_DIGITS.test(six) && isStart(oid, data, at - 6)) return six;
  return six.endsWith(FOLDER) && isStart(oid, data, at - 5) ? `0${FOLDER}` : null;
}

/** Whether an entry begins where a mode, a space, a name and a NUL stand. */
function isStart(oid: string, data: Buffer, at: number): boolean {
  if (at === 0) return true;
  const id = at - oid.length / 2;
  if (id < 1 || data[id - 1] !== 0) return false;
  // Inside of another entry the end of its mode or of its name would be among these bytes, which else are an id.
  let n = id;
  while (n < at && data[n] !== 0 && (data[n] !== SPACE || (data[n - 1]! & ~7) !== ZERO)) n += 1;
  if (n === at) return true;
  let start = 0;
  while (start < at) start = endOf(oid, data, start);
  return start === at;
}

const cutShort = (oid: string) => new GitError('corrupt', `tree ${oid}: an entry is cut short`);

/** Where the entry that begins at `at` ends. */
function endOf(oid: string, data: Buffer, at: number): number {
  const { length } = data;
  let nul = at;
  while (nul < length && data[nul] !== 0) nul += 1;
  const end = nul + 1 + oid.length / 2;
  if (end > length) throw cutShort(oid);
  return end;
}

function entryFrom(oid: string, data: Buffer, at: number, end: number): TreeEntry {
  const nul = end - oid.length / 2 - 1;
  const space = data.indexOf(SPACE, at);
  if (space < 0 || space > nul) throw cutShort(oid);
  const mode = data.toString('latin1', at, space).padStart(6, '0');
  let bits = 0;
  for (let n = space + 1; n < nul; n += 1) bits |= data[n]!;
  const name = bits < 0x80 ? data.toString('latin1', space + 1, nul) : decodeBytes(data.subarray(space + 1, nul));
  return { mode, name, oid: data.toString('hex', nul + 1, end), type: typeOfMode(mode) };
}

/**
 * @param oid also says which hash its entries use
 * @param data the tree's content, without git's object header
 * @throws GitError `corrupt` where an entry is cut short
 */
export function parseTree(oid: string, data: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < data.length; ) {
    const end = endOf(oid, data, at);
    entries.push(entryFrom(oid, data, at, end));
    at = end;
  }
  return entries;
}
