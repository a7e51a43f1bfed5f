import { Readable } from 'node:stream';
import { BoundedCache } from '../../core/bounded-cache.ts';
import { Busy } from '../../core/busy.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { BlobStore, StoredBlob } from '../blob-store.ts';
import { ArchiveError } from './archive-error.ts';
import { readRange } from './blob-reader.ts';
import type { ArchiveDirectory } from './directory.ts';
import { readDirectory } from './read-directory.ts';
import { type ArchiveEntry, DEFLATED, STORED } from './zip.entries.ts';
import { unpacked, unpackedWhole } from './zip.unpack.ts';

const LOCAL_HEADER = 30;
const SIGNATURE = 0x04034b50;
/** Bytes of a file; what is larger is had with its archive. */
const MAX_FILE = 16 * 1024 ** 3;
/** From this size on a file may not be so many times larger than what it is packed into. */
const SUSPICIOUS = 100 * 1024 ** 2;
const MAX_RATIO = 200;
/** A file of so few bytes, packed and unpacked, is read and unpacked at once: in a fraction of a millisecond. */
const WHOLE = { packed: 64 * 1024, unpacked: 128 * 1024 };
/** Bytes that are read for the path and the rest of its header along with it. */
const HEADER_ROOM = 512;
/** No directory is kept that takes more than this share. */
const MAX_SHARE = 2;

const sizeOf = (directory: ArchiveDirectory | ArchiveError): number =>
  directory instanceof ArchiveError ? 500 : directory.memory;

/** Reads single files out of zip archives in the blob store, without unpacking them. Directories are kept by content. */
export class Archives {
  readonly #blobs: BlobStore;
  readonly #directories: BoundedCache<string, ArchiveDirectory | ArchiveError>;
  readonly #underWay = new Map<string, Promise<ArchiveDirectory>>();
  /** Few directories are read at once: each takes memory, and none takes long. */
  readonly #slots = new FairSlots({
    total: 2,
    perKey: 1,
    maxWaiting: 200,
    maxWaitingPerKey: 20,
    maxWaitMs: 30_000,
    refuse: (whose) =>
      whose === 'caller'
        ? new Busy(429, 'You have asked for too many archives at once. Wait for some, then try again.', 2)
        : new Busy(503, '503 Service Unavailable - too many archives are being read', 2),
  });

  /** @param maxBytes of memory that directories may take */
  constructor(blobs: BlobStore, maxBytes: number) {
    this.#blobs = blobs;
    this.#directories = new BoundedCache(maxBytes, sizeOf, {
      maxEntryBytes: Math.ceil(maxBytes / MAX_SHARE),
      isCostly: true,
    });
  }

  /** What is in an archive. @throws ArchiveError for what is no zip archive, contradicts itself, or is too large */
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
      // Its content does not change.
      if (error instanceof ArchiveError && error.code !== 'gone') this.#directories.set(blob.sha256, error);
      throw error;
    } finally {
      leave();
      this.#underWay.delete(blob.sha256);
    }
  }

  /**
   * The content of a file of an archive. The stream of a large one fails when that is not what the archive says of it.
   * @param entry as its directory gives it
   * @throws ArchiveError when it cannot be read, is larger than is unpacked, or small and not what the archive says of it
   */
  async open({ sha256 }: StoredBlob, directory: ArchiveDirectory, entry: ArchiveEntry): Promise<Readable> {
    const { offset, packedSize, size, method } = entry;
    if (method !== STORED && method !== DEFLATED) {
      throw new ArchiveError('malformed', 'the file is packed in an unknown way');
    }
    if (size > MAX_FILE || (size > SUSPICIOUS && size > packedSize * MAX_RATIO)) {
      throw new ArchiveError('too_large', 'the file is too large to be unpacked');
    }
    const whole = packedSize <= WHOLE.packed && size <= WHOLE.unpacked;
    const room = whole ? HEADER_ROOM + packedSize : 0;
    const bytes = await readRange(this.#blobs, sha256, offset, LOCAL_HEADER + room);
    if (bytes.length < LOCAL_HEADER || bytes.readUInt32LE(0) !== SIGNATURE) {
      throw new ArchiveError('malformed', 'the entry has no header');
    }
    const header = LOCAL_HEADER + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
    const start = offset + header;
    if (start + packedSize > directory.dataEnd) throw new ArchiveError('malformed', 'the entry is cut off');
    if (whole) {
      const read = header + packedSize <= bytes.length;
      const packed = read
        ? bytes.subarray(header, header + packedSize)
        : await readRange(this.#blobs, sha256, start, packedSize);
      return Readable.from(unpackedWhole(packed, entry));
    }
    const packed = packedSize === 0 ? null : await this.#blobs.get(sha256, { start, end: start + packedSize - 1 });
    if (packed === null && packedSize > 0) throw new ArchiveError('gone', 'the archive is gone');
    return unpacked(packed, entry);
  }
}
