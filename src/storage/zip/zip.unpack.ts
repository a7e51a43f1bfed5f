import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';
import { type ArchiveEntry, DEFLATED } from './zip.entries.ts';

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

  /** What comes before it fails in words of its own. */
  override _destroy(error: NodeJS.ErrnoException | null, done: (error?: Error | null) => void): void {
    done(error?.code?.startsWith('Z_') ? new ArchiveError('malformed', 'the file is no deflated data') : error);
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

/**
 * Unpacks a small file at once.
 * @param packed its bytes in the archive
 * @throws ArchiveError when it is not what the archive says of it
 */
export function unpackedWhole(packed: Buffer, { method, size, crc32: sum }: ArchiveEntry): Buffer {
  const content = method === DEFLATED && packed.length > 0 ? inflated(packed, size) : packed;
  if (content.length > size) throw new ArchiveError('malformed', 'the file is longer than it says');
  if (content.length < size) throw new ArchiveError('malformed', 'the file is shorter than it says');
  if (crc32(content) !== sum) throw new ArchiveError('malformed', 'the file has another checksum');
  return content;
}

function inflated(packed: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    const longer = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new ArchiveError('malformed', longer ? 'the file is longer than it says' : 'the file is no deflated data');
  }
}
