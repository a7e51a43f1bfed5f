import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArchiveError } from './archive-error.ts';
import { indices, SLICE, sortInSlices } from './slices.ts';
import type { ArchiveEntry, Entries } from './zip.entries.ts';

/** Maximum number of entries, including directories without an entry of their own. */
export const MAX_ENTRIES = 200_000;
export const tooManyEntries = () => new ArchiveError('too_large', `more than ${MAX_ENTRIES} entries`);

/** A page of a listing. */
export interface Listing {
  entries: ArchiveEntry[];
  total: number;
}

interface Sorted {
  /** Sorted paths, including directories without an entry of their own. */
  paths: readonly string[];
  /** Index of the entry of each path; -1 if there is none. */
  places: Int32Array;
}

/** The content of an archive. */
export class ArchiveDirectory {
  /** Offset at which the data ends and the central directory begins. */
  readonly dataEnd: number;
  readonly #entries: Entries;
  #sorted: Promise<Sorted> | undefined;

  constructor(entries: Entries, dataEnd: number) {
    this.#entries = entries;
    this.dataEnd = dataEnd;
  }

  /** Approximate memory in bytes, including the sorted paths. */
  get memory(): number {
    return 1_000 + 3 * this.#entries.bytes.length + 80 * this.#entries.count;
  }

  /** The entry of a path; of duplicates the last one, as when the archive is unpacked. */
  find(path: string): ArchiveEntry | undefined {
    const index = this.#entries.find(path);
    return index === -1 ? undefined : this.#entries.entryAt(index, path);
  }

  /**
   * Lists a directory in the order of paths.
   * @param path path of the directory with a trailing slash; empty for the whole archive
   * @param recursive whether to include all levels below
   * @returns undefined if there is no such directory
   * @throws ArchiveError if there are too many entries to sort
   */
  async list(path: string, recursive: boolean, page: { offset: number; size: number }): Promise<Listing | undefined> {
    this.#sorted ??= sorted(this.#entries);
    const { paths, places } = await this.#sorted;
    const from = path === '' ? 0 : firstFrom(paths, path);
    const end = path === '' ? paths.length : firstFrom(paths, after(path));
    if (path !== '' && from === end) return undefined;
    const listing: Listing = { entries: [], total: 0 };
    for (let at = from; at < end; ) {
      const entryPath = paths[at]!;
      const slash = recursive ? -1 : entryPath.indexOf('/', path.length);
      const next = slash === -1 ? at + 1 : firstFrom(paths, after(entryPath.slice(0, slash + 1)));
      if (entryPath !== path) {
        if (listing.total >= page.offset && listing.entries.length < page.size) {
          listing.entries.push(
            places[at] === -1 ? onlyNamed(entryPath) : this.#entries.entryAt(places[at]!, entryPath),
          );
        }
        listing.total += 1;
      }
      at = next;
    }
    return listing;
  }
}

/** A directory without an entry of its own. */
const onlyNamed = (path: string): ArchiveEntry => ({
  ...{ path, type: 'directory', size: 0, mode: 0, method: 0, offset: 0, packedSize: 0, crc32: 0 },
});

/** Sorts paths in slices. @throws ArchiveError */
async function sorted(entries: Entries): Promise<Sorted> {
  const last = new Map<string, number>();
  for (let place = 0; place < entries.count; place += 1) {
    if (place % SLICE === 0) await nextTurn();
    const path = entries.pathAt(place);
    if (path !== null) last.set(path, place);
  }
  await addParents(last);
  const names = [...last.keys()];
  const order = await sortInSlices(indices(names.length), (a, b) => (names[a]! < names[b]! ? -1 : 1));
  const paths = new Array<string>(names.length);
  const places = new Int32Array(names.length);
  for (const [at, index] of order.entries()) {
    paths[at] = names[index]!;
    places[at] = last.get(names[index]!)!;
  }
  return { paths, places };
}

/** Adds directories without an entry of their own. @throws ArchiveError if there are too many */
async function addParents(last: Map<string, number>): Promise<void> {
  let count = 0;
  for (const path of [...last.keys()]) {
    count += 1;
    if (count % SLICE === 0) await nextTurn();
    for (let slash = path.lastIndexOf('/', path.length - 2); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash + 1);
      // Its parents exist as well: they were added with it, or have entries of their own.
      if (last.get(parent) === -1) break;
      if (!last.has(parent)) last.set(parent, -1);
      if (last.size > MAX_ENTRIES) throw tooManyEntries();
    }
  }
}

/** Index of the first path that does not sort before the given one. */
function firstFrom(paths: readonly string[], path: string): number {
  let [low, high] = [0, paths.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (paths[middle]! < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first text after all that begin with a directory's path: `/` is followed by `0`. */
const after = (directory: string): string => `${directory.slice(0, -1)}0`;
