import { getFileNameLowLevel, parseExtraFields, validateFileName } from 'yauzl';
import { ArchiveError } from './archive-error.ts';

/** How an entry of an archive is packed. */
export const STORED = 0;
export const DEFLATED = 8;
/** In place of the way of packing: not to be read. */
const UNREADABLE = 0xffff;

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

const HEADER = 46;
const SIGNATURE = 0x02014b50;
const MAX_PATH = 4_096;
const FILE_KIND = 0o170000;
const REGULAR = 0o100000;
/** Flags of an entry. */
const [ENCRYPTED, UTF8] = [1, 0x800];
/** The system whose modes are known. */
const UNIX = 3;
/** In place of a number that stands in the extra field of zip64; and the fields that matter. */
const [IN_EXTRA, ZIP64, UNICODE_PATH] = [0xffffffff, 1, 0x7075];
/** What no path inside a folder looks like. */
const STRANGE = /^\.{0,2}\/|\/\.{0,2}\/|\/\.\.$|^\.{1,2}$|\0/;

const malformed = (text: string) => new ArchiveError('malformed', text);

/** The extra fields of an entry; none where they cannot be read, which says nothing of its content. */
function fieldsOf(extra: Buffer): ReturnType<typeof parseExtraFields> {
  try {
    return parseExtraFields(extra);
  } catch {
    return [];
  }
}

/** Whether a path could stand in a folder. */
export const isPath = (path: string): boolean =>
  path !== '' && path.length <= MAX_PATH && !STRANGE.test(path) && validateFileName(path) === null;

/**
 * The entries of an archive as they stand in its directory (APPNOTE, 4.3.12), each looked at where it stands: what is made
 * of a hundred thousand of them would take more time and memory than they do. Places are read by a DataView, for the methods
 * of buffers are slow right after a start.
 */
export class Entries {
  readonly bytes: Buffer;
  readonly count: number;
  readonly #view: DataView;
  /** Where each begins, and how long its name is. */
  readonly #starts: Uint32Array;
  readonly #lengths: Uint16Array;

  constructor(bytes: Buffer, count: number) {
    this.bytes = bytes;
    this.count = count;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#starts = new Uint32Array(count);
    this.#lengths = new Uint16Array(count);
  }

  /**
   * Enters the entries from a place on to another: all in one loop, with few calls and without arrays, for the first archive
   * after a start is entered by code that nothing has made fast yet.
   * @param start where the first begins
   * @param offsets takes where the data of each begins, with its header
   * @param packed takes the bytes of each
   * @returns where the next entry begins
   * @throws ArchiveError where there is none, or its sizes contradict each other
   */
  enter(from: number, to: number, start: number, offsets: Float64Array, packed: Float64Array): number {
    const [view, { length }, starts, lengths] = [this.#view, this.bytes, this.#starts, this.#lengths];
    let at = start;
    for (let index = from; index < to; index += 1) {
      if (at + HEADER > length) throw malformed('the directory is cut off');
      if (view.getUint32(at, true) !== SIGNATURE) throw malformed('the directory is damaged');
      const names = view.getUint32(at + 28, true);
      const next = at + HEADER + (names & 0xffff) + (names >>> 16) + view.getUint16(at + 32, true);
      if (next > length) throw malformed('the directory is cut off');
      starts[index] = at;
      lengths[index] = names & 0xffff;
      const packedSize = view.getUint32(at + 20, true);
      const size = view.getUint32(at + 24, true);
      const offset = view.getUint32(at + 42, true);
      offsets[index] = offset;
      packed[index] = packedSize;
      if (size !== packedSize || size === IN_EXTRA || offset === IN_EXTRA) {
        const sizes = this.sizesAt(index);
        packed[index] = sizes[1];
        offsets[index] = sizes[2];
      }
      at = next;
    }
    return at;
  }

  /** Size, packed size and offset of an entry. @throws ArchiveError where they contradict each other */
  sizesAt(index: number): [size: number, packedSize: number, offset: number] {
    const [view, start] = [this.#view, this.#starts[index]!];
    const sizes: [number, number, number] = [
      view.getUint32(start + 24, true),
      view.getUint32(start + 20, true),
      view.getUint32(start + 42, true),
    ];
    if (sizes[0] === IN_EXTRA || sizes[1] === IN_EXTRA || sizes[2] === IN_EXTRA) readZip64(sizes, this.#extraAt(index));
    const stored = view.getUint16(start + 10, true) === STORED && !(view.getUint16(start + 8, true) & ENCRYPTED);
    if (stored && sizes[0] !== sizes[1]) throw malformed('a stored file has two sizes');
    return sizes;
  }

  #extraAt(index: number): Buffer {
    const [view, start] = [this.#view, this.#starts[index]!];
    const from = start + HEADER + view.getUint16(start + 28, true);
    return this.bytes.subarray(from, from + view.getUint16(start + 30, true));
  }

  /** The path of an entry; null where it is none that could stand in a folder. */
  pathAt(index: number): string | null {
    const [view, start] = [this.#view, this.#starts[index]!];
    const length = view.getUint16(start + 28, true);
    if (length === 0 || length > MAX_PATH) return null;
    const name = this.bytes.subarray(start + HEADER, start + HEADER + length);
    const flags = view.getUint16(start + 8, true);
    const extra = fieldsOf(this.#extraAt(index)).filter(({ id }) => id === UNICODE_PATH);
    const plain = (flags & UTF8) !== 0 && extra.length === 0;
    const path = plain ? name.toString('utf8') : getFileNameLowLevel(flags, name, extra, true);
    return isPath(path) ? path : null;
  }

  /** The last entry with a path, as whoever unpacks the archive gets; -1 where there is none. */
  find(path: string): number {
    if (!isPath(path)) return -1;
    const wanted = Buffer.from(path);
    const [lengths, { length }] = [this.#lengths, wanted];
    for (let index = this.count - 1; index >= 0; index -= 1) {
      if (lengths[index] === length && this.#isNamed(index, wanted) && this.pathAt(index) === path) return index;
    }
    for (let index = this.count - 1; index >= 0; index -= 1) {
      if (this.#isOdd(index) && this.pathAt(index) === path) return index;
    }
    return -1;
  }

  /** Whether the name of an entry, which is as long, is these bytes. */
  #isNamed(index: number, path: Buffer): boolean {
    const first = this.#starts[index]! + HEADER;
    for (let at = path.length - 1; at >= 0; at -= 1) if (this.bytes[first + at] !== path[at]) return false;
    return true;
  }

  /** Whether the name of an entry has to be decoded: those of old tools stand in a code page, or have another one beside. */
  #isOdd(index: number): boolean {
    const [view, start] = [this.#view, this.#starts[index]!];
    const extra = this.#extraAt(index);
    for (let at = 0; at + 4 <= extra.length; at += 4 + (extra[at + 2]! | (extra[at + 3]! << 8))) {
      if ((extra[at]! | (extra[at + 1]! << 8)) === UNICODE_PATH) return true;
    }
    if (view.getUint16(start + 8, true) & UTF8) return false;
    const end = start + HEADER + view.getUint16(start + 28, true);
    for (let at = start + HEADER; at < end; at += 1) if (this.bytes[at]! > 0x7f) return true;
    return false;
  }

  /** An entry by its place, under a path that is known. */
  entryAt(index: number, path: string): ArchiveEntry {
    const [view, start] = [this.#view, this.#starts[index]!];
    const [size, packedSize, offset] = this.sizesAt(index);
    const mode = this.bytes[start + 5] === UNIX ? view.getUint16(start + 40, true) : 0;
    const plain = (mode & FILE_KIND) === 0 || (mode & FILE_KIND) === REGULAR;
    return {
      path,
      type: path.endsWith('/') ? 'directory' : plain ? 'file' : 'other',
      size,
      mode,
      method: view.getUint16(start + 8, true) & ENCRYPTED ? UNREADABLE : view.getUint16(start + 10, true),
      offset,
      packedSize,
      crc32: view.getUint32(start + 16, true),
    };
  }
}

/** Puts what has no room in 32 bits in its place: size, packed size and offset, in this order. @throws ArchiveError */
function readZip64(sizes: number[], extra: Buffer): void {
  const field = parseExtraFields(extra).find(({ id }) => id === ZIP64);
  if (field === undefined) return;
  let from = 0;
  for (const [at, value] of sizes.entries()) {
    if (value !== IN_EXTRA) continue;
    if (from + 8 > field.data.length) throw malformed('a zip64 entry lacks its sizes');
    sizes[at] = Number(field.data.readBigUInt64LE(from));
    from += 8;
  }
}
