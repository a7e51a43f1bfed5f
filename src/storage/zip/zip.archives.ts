import { Readable } from 'node:stream';
import { Busy } from '../../core/busy.ts';
import { BoundedCache } from '../../core/cache/index.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { BlobStore, StoredBlob } from '../blob-store.ts';
import { ArchiveError } from './archive-error.ts';
import { readRange } from './blob-reader.ts';
import type { ArchiveDirectory } from './directory.ts';
import { readDirectory } from './read-directory.ts';
import { type ArchiveEntry, DEFLATED, STORED } from './zip.entries.ts';
import { unpackEntry, unpacked } from './zip.unpack.ts';

const LOCAL_HEADER = 30;
const SIGNATURE = 0x04034b50;
/** Maximum size of a file in bytes; larger ones are only available with the whole archive. */
const MAX_FILE = 16 * 1024 ** 3;
/** Size from which on the compression ratio of a file is limited. */
const SUSPICIOUS = 100 * 1024 ** 2;
const MAX_RATIO = 200;
/** Packed and unpacked size up to which a file is read and unpacked at once, in a fraction of a millisecond. */
const WHOLE = { packed: 64 * 1024, unpacked: 128 * 1024 };
/** Bytes read together with the data for the path and the rest of the local header. */
const HEADER_ROOM = 512;

const sizeOf = (directory: ArchiveDirectory | ArchiveError): number =>
  directory instanceof ArchiveError ? 500 : directory.memory;

/**
 * Reads single files out of zip archives in the blob store, without unpacking them. Directories are cached by content.
 */
export class Archives {
  readonly #blobs: BlobStore;
  readonly #directories: BoundedCache<string, ArchiveDirectory | ArchiveError>;
  readonly #underWay = new Map<string, Promise<ArchiveDirectory>>();
  /** Few directories are read at once, because each takes memory; none takes long. */
  readonly #slots = new FairSlots({
    total: 2,
    perKey: 1,
    maxWaiting: 200,
    maxWaitingPerKey: 20,
    maxWaitMs: 30_000,
    refuse: (whose) =>
      whose === 'caller'
        ? new Busy(429, 'You have too many archive requests in progress. Wait for some to finish, then try again.', 2)
        : new Busy(503, '503 Service Unavailable - too many archives are being read', 2),
  });

  /** @param maxBytes memory for cached directories in bytes, if not that of the table */
  constructor(blobs: BlobStore, maxBytes?: number) {
    this.#blobs = blobs;
    this.#directories = new BoundedCache('archives', sizeOf, { bytes: maxBytes });
  }

  /**
   * The directory of an archive. @throws ArchiveError if it is not a zip archive, contradicts itself, or is too large
   */
  async directory(blob: StoredBlob): Promise<ArchiveDirectory> {
    const known = this.#directories.get(blob.sha256);
    if (known instanceof ArchiveError) throw known;
    if (known !== undefined) return known;
    const reading = this.#underWay.get(blob.sha256) ?? this.#read(blob);
    this.#underWay.set(blob.sha256, reading);
    return reading;
  }

  async #read(blob: StoredBlob): Promise<ArchiveDirectory> {
    let leave: () => void = () => {};
    try {
      leave = await this.#slots.take(currentScope().caller);
      const directory = await readDirectory(this.#blobs, blob);
      this.#directories.set(blob.sha256, directory);
      return directory;
    } catch (error) {
      // The content of a blob never changes.
      if (error instanceof ArchiveError && error.code !== 'gone') this.#directories.set(blob.sha256, error);
      throw error;
    } finally {
      leave();
      this.#underWay.delete(blob.sha256);
    }
  }

  /**
   * The content of a file in an archive. The stream of a large file fails if the content contradicts the directory.
   * @param entry entry of the directory
   * @throws ArchiveError if the file cannot be read or is too large, or if a small file contradicts the directory
   */
  async open({ sha256 }: StoredBlob, directory: ArchiveDirectory, entry: ArchiveEntry): Promise<Readable> {
    const { offset, packedSize, size, method } = entry;
    if (method !== STORED && method !== DEFLATED) {
      throw new ArchiveError('malformed', 'the file is encrypted or uses an unsupported compression method');
    }
    if (size > MAX_FILE || (size > SUSPICIOUS && size > packedSize * MAX_RATIO)) {
      throw new ArchiveError('too_large', 'the file is too large');
    }
    const whole = packedSize <= WHOLE.packed && size <= WHOLE.unpacked;
    const room = whole ? HEADER_ROOM + packedSize : 0;
    const bytes = await readRange(this.#blobs, sha256, offset, LOCAL_HEADER + room);
    if (bytes.length < LOCAL_HEADER || bytes.readUInt32LE(0) !== SIGNATURE) {
      throw new ArchiveError('malformed', 'the entry has no local header');
    }
    const header = LOCAL_HEADER + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
    const start = offset + header;
    if (start + packedSize > directory.dataEnd) throw new ArchiveError('malformed', 'the entry is truncated');
    if (whole) {
      const read = header + packedSize <= bytes.length;
      const packed = read
        ? bytes.subarray(header, header + packedSize)
        : await readRange(this.#blobs, sha256, start, packedSize);
      return Readable.from(unpackEntry(packed, entry));
    }
    const packed = packedSize === 0 ? null : await this.#blobs.get(sha256, { start, end: start + packedSize - 1 });
    if (packed === null && packedSize > 0) throw new ArchiveError('gone', 'the archive does not exist any more');
    return unpacked(packed, entry);
  }
}
