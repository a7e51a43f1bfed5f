import { decodeBytes, encodeBytes } from './bytes.ts';
import { GitError } from './errors.ts';
import { type TreeEntry, typeOfMode } from './objects.ts';

const SPACE = 0x20;
const ZERO = 0x30;
const FOLDER = '40000';
/** As it stands before a name; the digits that can come before a folder's, of an id, make none of six of them. */
const SIX_DIGITS = /^1[026]0[0-7]{3}$/;

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
    const data = this.#data;
    const wanted = Buffer.concat([Buffer.of(SPACE), encodeBytes(name), Buffer.of(0)]);
    if (wanted.indexOf(0) !== wanted.length - 1) return null;
    for (let at = data.indexOf(wanted); at >= 0; at = data.indexOf(wanted, at + 1)) {
      const mode = modeBefore(data, at);
      // The bytes of an id would have to look like a whole entry to be taken for one.
      if (mode === null) continue;
      const id = at + wanted.length;
      const end = id + this.#oid.length / 2;
      if (end > data.length) throw cutShort(this.#oid);
      return { mode, name, oid: data.toString('hex', id, end), type: typeOfMode(mode) };
    }
    return null;
  }

  /**
   * Where its entries begin, by what they are.
   * @throws GitError `corrupt` where an entry is cut short
   */
  places(): EntryPlaces {
    const data = this.#data;
    const places: EntryPlaces = { folders: [], files: [], submodules: [] };
    for (let at = 0; at < data.length; at = this.#endOf(at)) {
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
    return entryFrom(this.#oid, this.#data, at, this.#endOf(at));
  }

  #endOf(at: number): number {
    return endOf(this.#oid, this.#data, at);
  }
}

/** The mode whose last digit stands before a place, six digits long; null where there is none. */
function modeBefore(data: Buffer, at: number): string | null {
  const six = data.toString('latin1', Math.max(0, at - 6), at);
  if (SIX_DIGITS.test(six)) return six;
  return six.endsWith(FOLDER) ? `0${FOLDER}` : null;
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
