import { getFileNameLowLevel, parseExtraFields, validateFileName } from 'yauzl';
import { ArchiveError } from './archive-error.ts';

/** Compression methods of entries. */
export const STORED = 0;
export const DEFLATED = 8;
/** Stands for the method of unreadable entries. */
const UNREADABLE = 0xffff;

export interface ArchiveEntry {
  /** Path in the archive; directories end in a slash. */
  path: string;
  type: 'file' | 'directory' | 'other';
  /** Size in bytes according to the directory. */
  size: number;
  /** Unix file type and permissions; 0 if unknown. */
  mode: number;
  /** Compression method: `STORED`, `DEFLATED`, or an unsupported one. */
  method: number;
  /** Offset of the local header. */
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
/** The host system whose modes are known. */
const UNIX = 3;
/** Placeholder for a number in the zip64 extra field, and ids of extra fields. */
const [IN_EXTRA, ZIP64, UNICODE_PATH] = [0xffffffff, 1, 0x7075];
/** Paths that would leave a folder or are not normalized. */
const STRANGE = /^\.{0,2}\/|\/\.{0,2}\/|\/\.\.$|^\.{1,2}$|\0/;

const malformed = (text: string) => new ArchiveError('malformed', text);

/** The extra fields of an entry; none if they are malformed, which does not affect the content. */
function fieldsOf(extra: Buffer): ReturnType<typeof parseExtraFields> {
  try {
    return parseExtraFields(extra);
  } catch {
    return [];
  }
}

/** Whether a path is valid inside a folder. */
export const isPath = (path: string): boolean =>
  path !== '' && path.length <= MAX_PATH && !STRANGE.test(path) && validateFileName(path) === null;

/**
 * The entries of an archive in the bytes of its central directory (APPNOTE, 4.3.12). Entries are decoded on access:
 * objects for a hundred thousand of them would take more time and memory. Fields are read with a DataView, because
 * methods of buffers are slow right after the start.
 */
export class Entries {
  readonly bytes: Buffer;
  readonly count: number;
  readonly #view: DataView;
  /** Offset of each entry, and length of its name. */
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
   * Indexes a range of entries: in one loop with few calls and no arrays, because the first archive after a start is
   * processed by unoptimized code.
   * @param start offset of the first entry
   * @param offsets receives the offset of each local header
   * @param packed receives the packed size of each entry
   * @returns offset of the next entry
   * @throws ArchiveError for a malformed entry or contradictory sizes
   */
  enter(from: number, to: number, start: number, offsets: Float64Array, packed: Float64Array): number {
    const [view, { length }, starts, lengths] = [this.#view, this.bytes, this.#starts, this.#lengths];
    let at = start;
    for (let index = from; index < to; index += 1) {
      if (at + HEADER > length) throw malformed('the directory is truncated');
      if (view.getUint32(at, true) !== SIGNATURE) throw malformed('the directory is damaged');
      const names = view.getUint32(at + 28, true);
      const next = at + HEADER + (names & 0xffff) + (names >>> 16) + view.getUint16(at + 32, true);
      if (next > length) throw malformed('the directory is truncated');
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

  /** Size, packed size and offset of an entry. @throws ArchiveError for contradictory values */
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

  /** Path of an entry; null if it is not valid inside a folder. */
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

  /** Index of the last entry with a path, as when the archive is unpacked; -1 if there is none. */
  find(path: string): number {
    if (!isPath(path)) return -1;
    const pathBytes = Buffer.from(path);
    const [lengths, { length }] = [this.#lengths, pathBytes];
    for (let index = this.count - 1; index >= 0; index -= 1) {
      if (lengths[index] === length && this.#isNamed(index, pathBytes) && this.pathAt(index) === path) return index;
    }
    for (let index = this.count - 1; index >= 0; index -= 1) {
      if (this.#isOdd(index) && this.pathAt(index) === path) return index;
    }
    return -1;
  }

  /** Whether the name of an entry of the same length equals these bytes. */
  #isNamed(index: number, path: Buffer): boolean {
    const first = this.#starts[index]! + HEADER;
    for (let at = path.length - 1; at >= 0; at -= 1) if (this.bytes[first + at] !== path[at]) return false;
    return true;
  }

  /**
   * Whether the name of an entry needs decoding: names of old tools are in a code page, or have a Unicode name in an
   * extra field.
   */
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

  /** The entry of an index, with its known path. */
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

/**
 * Replaces values that do not fit in 32 bits by those of the zip64 field: size, packed size and offset, in this order.
 * @throws ArchiveError
 */
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
