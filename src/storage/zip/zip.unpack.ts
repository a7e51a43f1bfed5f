import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';
import { type ArchiveEntry, DEFLATED } from './zip.entries.ts';

/** Passes content through and fails if its length or checksum differs from the directory. */
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

  /** Errors of the source come first and are passed on unchanged. */
  override _destroy(error: NodeJS.ErrnoException | null, done: (error?: Error | null) => void): void {
    done(error?.code?.startsWith('Z_') ? new ArchiveError('malformed', 'the file is no deflated data') : error);
  }
}

/**
 * Unpacks a file as a stream, without buffering it.
 * @param packed packed content; null for an empty file
 */
export function unpacked(packed: Readable | null, entry: ArchiveEntry): Readable {
  const checked = new Checked(entry);
  const source = packed ?? Readable.from([]);
  // The last stream reports errors; a premature end destroys all streams.
  const done = () => {};
  if (entry.method === DEFLATED && packed !== null) pipeline(source, createInflateRaw(), checked, done);
  else pipeline(source, checked, done);
  return checked;
}

/**
 * Unpacks a small file at once.
 * @param packed packed content
 * @throws ArchiveError if the content contradicts the directory
 */
export function unpackEntry(packed: Buffer, { method, size, crc32: sum }: ArchiveEntry): Buffer {
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
