import { RandomAccessReader } from 'yauzl';
import type { BlobStore } from '../blob-store.ts';
import { ArchiveError } from './archive-error.ts';

/** The end of an archive says where its directory is; that of most archives is within these bytes. */
const TAIL = 256 * 1024;
const WINDOW = 1024 * 1024;

/** Reads a range of a blob whole; less than asked for where it ends. @throws ArchiveError when there is no such blob */
export async function readRange(blobs: BlobStore, sha256: string, start: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(start + length)) throw new ArchiveError('malformed', 'the archive points beyond its end');
  const bytes = await blobs.read(sha256, start, length);
  if (bytes === null) throw new ArchiveError('gone', 'the archive is gone');
  return bytes;
}

/** What yauzl finds the directory of an archive by. Most directories come with the end. */
export class BlobReader extends RandomAccessReader {
  readonly #blobs: BlobStore;
  readonly #sha256: string;
  readonly #size: number;
  #start = 0;
  #window: Buffer = Buffer.alloc(0);

  constructor(blobs: BlobStore, sha256: string, size: number) {
    super();
    this.#blobs = blobs;
    this.#sha256 = sha256;
    this.#size = size;
  }

  /** So many bytes from a place on; they are read only where they were not yet. */
  async bytes(start: number, length: number): Promise<Buffer> {
    const from = start - this.#start;
    if (from >= 0 && from + length <= this.#window.length) return this.#window.subarray(from, from + length);
    return readRange(this.#blobs, this.#sha256, start, length);
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const copy = () =>
      this.#window.copy(
        target,
        offset,
        position - this.#start,
        Math.min(position - this.#start + length, this.#window.length),
      );
    if (position >= this.#start && position + length <= this.#start + this.#window.length) {
      callback(null, copy());
      return;
    }
    if (position + length > this.#size) {
      process.nextTick(callback, new ArchiveError('malformed', 'the archive points beyond its end'));
      return;
    }
    const start = position + length === this.#size ? Math.max(0, Math.min(position, this.#size - TAIL)) : position;
    const end = Math.min(this.#size, Math.max(position + length, start + WINDOW));
    readRange(this.#blobs, this.#sha256, start, end - start).then(
      (window) => {
        this.#start = start;
        this.#window = window;
        callback(null, position + length > start + window.length ? 0 : copy());
      },
      (error: Error) => callback(error),
    );
  }
}
