/** How an entry of an archive is packed. */
export const STORED = 0;
export const DEFLATED = 8;

export interface ArchiveEntry {
  /** Path in the archive; that of a directory ends in a slash. */
  path: string;
  type: 'file' | 'directory' | 'other';
  /** Bytes, as the archive says. */
  size: number;
  /** Unix permissions and kind; 0 where the archive does not say. */
  mode: number;
  /** How it is packed: `STORED`, `DEFLATED`, or what cannot be read. */
  method: number;
  /** Where its local header begins. */
  offset: number;
  packedSize: number;
  crc32: number;
}

const FILE_KIND = 0o170000;
const REGULAR = 0o100000;

/** Columns of the entries of an archive, by their place in its directory. */
export interface EntryColumns {
  paths: string[];
  sizes: Float64Array;
  packedSizes: Float64Array;
  offsets: Float64Array;
  crcs: Uint32Array;
  modes: Uint16Array;
  methods: Uint16Array;
}

/** A page of a listing. */
export interface Listing {
  entries: ArchiveEntry[];
  total: number;
}

/** What is in an archive, by paths. Small: a hundred thousand entries take some ten megabytes. */
export class ArchiveDirectory {
  /** Where the data of the archive ends and its own directory begins. */
  readonly dataEnd: number;
  readonly #columns: EntryColumns;
  /** Places of the entries in the order of their paths. */
  readonly #order: Uint32Array;

  constructor(columns: EntryColumns, order: Uint32Array, dataEnd: number) {
    this.#columns = columns;
    this.#order = order;
    this.dataEnd = dataEnd;
  }

  /** Bytes of memory that it takes, about. */
  get memory(): number {
    let bytes = 1_000;
    for (const path of this.#columns.paths) bytes += 2 * path.length + 60;
    return bytes;
  }

  /** The entry of a path; of several the last, as whoever unpacks the archive gets. */
  find(path: string): ArchiveEntry | undefined {
    const at = this.#firstFrom(`${path}\0`) - 1;
    return at >= 0 && this.#pathAt(at) === path ? this.#entryAt(at) : undefined;
  }

  /**
   * What is in a directory, in the order of paths.
   * @param path of the directory, with its slash; empty for the whole archive
   * @param recursive with all that is below
   * @returns undefined when there is no such directory
   */
  list(path: string, recursive: boolean, page: { offset: number; size: number }): Listing | undefined {
    const from = path === '' ? 0 : this.#firstFrom(path);
    const end = path === '' ? this.#order.length : this.#firstFrom(after(path));
    if (path !== '' && from === end) return undefined;
    const listing: Listing = { entries: [], total: 0 };
    for (let at = from; at < end; ) {
      const found = this.#pathAt(at);
      const slash = recursive ? -1 : found.indexOf('/', path.length);
      const next = slash === -1 ? at + 1 : this.#firstFrom(after(found.slice(0, slash + 1)));
      const replaced = slash === -1 && at + 1 < end && this.#pathAt(at + 1) === found;
      if (found !== path && !replaced) {
        if (listing.total >= page.offset && listing.entries.length < page.size) listing.entries.push(this.#entryAt(at));
        listing.total += 1;
      }
      at = next;
    }
    return listing;
  }

  #pathAt(at: number): string {
    return this.#columns.paths[this.#order[at]!]!;
  }

  #entryAt(at: number): ArchiveEntry {
    const { paths, sizes, packedSizes, offsets, crcs, modes, methods } = this.#columns;
    const place = this.#order[at]!;
    const [path, mode] = [paths[place]!, modes[place]!];
    const kind = mode & FILE_KIND;
    const plain = kind === 0 || kind === REGULAR;
    return {
      path,
      type: path.endsWith('/') ? 'directory' : plain ? 'file' : 'other',
      size: sizes[place]!,
      mode,
      method: methods[place]!,
      offset: offsets[place]!,
      packedSize: packedSizes[place]!,
      crc32: crcs[place]!,
    };
  }

  /** Where the first path stands that does not come before the given one. */
  #firstFrom(path: string): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pathAt(middle) < path) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first text after all that begin with a directory's path: a slash is followed by a zero. */
const after = (directory: string): string => `${directory.slice(0, -1)}0`;
