import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArchiveError } from './archive-error.ts';
import { indices, SLICE, sortInSlices } from './slices.ts';
import type { ArchiveEntry, Entries } from './zip.entries.ts';

/** Entries of an archive, directories that only paths name among them. */
export const MAX_ENTRIES = 200_000;
export const tooManyEntries = () => new ArchiveError('too_large', `more than ${MAX_ENTRIES} entries`);

/** A page of a listing. */
export interface Listing {
  entries: ArchiveEntry[];
  total: number;
}

interface Sorted {
  /** In their order, those of directories that no entry stands for among them. */
  paths: readonly string[];
  /** Of the entry of each; -1 where none stands for it. */
  places: Int32Array;
}

/** What is in an archive. */
export class ArchiveDirectory {
  /** Where the data of the archive ends and its own directory begins. */
  readonly dataEnd: number;
  readonly #entries: Entries;
  #sorted: Promise<Sorted> | undefined;

  constructor(entries: Entries, dataEnd: number) {
    this.#entries = entries;
    this.dataEnd = dataEnd;
  }

  /** Bytes of memory that it takes, about, with the order of its paths. */
  get memory(): number {
    return 1_000 + 3 * this.#entries.bytes.length + 80 * this.#entries.count;
  }

  /** The entry of a path; of several the last, as whoever unpacks the archive gets. */
  find(path: string): ArchiveEntry | undefined {
    const index = this.#entries.find(path);
    return index === -1 ? undefined : this.#entries.entryAt(index, path);
  }

  /**
   * What is in a directory, in the order of paths.
   * @param path of the directory, with its slash; empty for the whole archive
   * @param recursive with all that is below
   * @returns undefined when there is no such directory
   * @throws ArchiveError when there is too much to be put in order
   */
  async list(path: string, recursive: boolean, page: { offset: number; size: number }): Promise<Listing | undefined> {
    this.#sorted ??= sorted(this.#entries);
    const { paths, places } = await this.#sorted;
    const from = path === '' ? 0 : firstFrom(paths, path);
    const end = path === '' ? paths.length : firstFrom(paths, after(path));
    if (path !== '' && from === end) return undefined;
    const listing: Listing = { entries: [], total: 0 };
    for (let at = from; at < end; ) {
      const found = paths[at]!;
      const slash = recursive ? -1 : found.indexOf('/', path.length);
      const next = slash === -1 ? at + 1 : firstFrom(paths, after(found.slice(0, slash + 1)));
      if (found !== path) {
        if (listing.total >= page.offset && listing.entries.length < page.size) {
          listing.entries.push(places[at] === -1 ? onlyNamed(found) : this.#entries.entryAt(places[at]!, found));
        }
        listing.total += 1;
      }
      at = next;
    }
    return listing;
  }
}

/** A directory that no entry stands for. */
const onlyNamed = (path: string): ArchiveEntry => ({
  ...{ path, type: 'directory', size: 0, mode: 0, method: 0, offset: 0, packedSize: 0, crc32: 0 },
});

/** Puts paths in their order, a little at a time. @throws ArchiveError */
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

/** Adds the directories that only paths name. @throws ArchiveError where these are too many */
async function addParents(last: Map<string, number>): Promise<void> {
  let count = 0;
  for (const path of [...last.keys()]) {
    count += 1;
    if (count % SLICE === 0) await nextTurn();
    for (let slash = path.lastIndexOf('/', path.length - 2); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash + 1);
      // Those above it are there, too: it was added with them, or they come by an entry of their own.
      if (last.get(parent) === -1) break;
      if (!last.has(parent)) last.set(parent, -1);
      if (last.size > MAX_ENTRIES) throw tooManyEntries();
    }
  }
}

/** Where the first path stands that does not come before the given one. */
function firstFrom(paths: readonly string[], path: string): number {
  let [low, high] = [0, paths.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (paths[middle]! < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first text after all that begin with a directory's path: a slash is followed by a zero. */
const after = (directory: string): string => `${directory.slice(0, -1)}0`;
