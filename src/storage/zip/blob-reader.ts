import { RandomAccessReader } from 'yauzl';
import type { BlobStore } from '../blob-store.ts';
import { ArchiveError } from './archive-error.ts';

/** Size of the end of an archive that contains the directory of most archives. */
const TAIL = 256 * 1024;
const WINDOW = 1024 * 1024;

/** Reads a whole range of a blob; less at its end. @throws ArchiveError if there is no such blob */
export async function readRange(blobs: BlobStore, sha256: string, start: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(start + length)) throw new ArchiveError('malformed', 'the archive points beyond its end');
  const bytes = await blobs.read(sha256, start, length);
  if (bytes === null) throw new ArchiveError('gone', 'the archive does not exist any more');
  return bytes;
}

/** Random access for yauzl to find the directory of an archive. Most directories are read together with the end. */
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

  /** Returns bytes at an offset; they are read unless they were read before. */
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
