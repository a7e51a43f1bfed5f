import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';
import { type ArchiveEntry, DEFLATED } from './entries.ts';

/** Lets through what is as long as the archive says, and has its checksum; fails otherwise. */
class Checked extends Transform {
  readonly #entry: ArchiveEntry;
  #size = 0;
  #crc = 0;

  constructor(entry: ArchiveEntry) {
    super();
    this.#entry = entry;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#size += chunk.length;
    this.#crc = crc32(chunk, this.#crc);
    if (this.#size <= this.#entry.size) done(null, chunk);
    else done(new ArchiveError('malformed', 'the file is longer than it says'));
  }

  override _flush(done: TransformCallback): void {
    const { size, crc32 } = this.#entry;
    if (this.#size < size) done(new ArchiveError('malformed', 'the file is shorter than it says'));
    else done(this.#crc === crc32 ? null : new ArchiveError('malformed', 'the file has another checksum'));
  }
}

/**
 * Unpacks a file while it is read: nothing is kept beside what is on its way.
 * @param packed its bytes in the archive; null where there are none
 */
export function unpacked(packed: Readable | null, entry: ArchiveEntry): Readable {
  const checked = new Checked(entry);
  const source = packed ?? Readable.from([]);
  // Errors come out of the last stream; an end before its time ends all of them.
  const done = () => {};
  if (entry.method === DEFLATED && packed !== null) pipeline(source, createInflateRaw(), checked, done);
  else pipeline(source, checked, done);
  return checked;
}
