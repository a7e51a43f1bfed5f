import { promisify } from 'node:util';
import { constants, type InputType, inflate, inflateSync, type ZlibOptions } from 'node:zlib';
import { GitError } from '../git.errors.ts';
import { allocateScratch } from './buffer-pool.ts';
import { inflateInJs } from './inflate-in-js.ts';
import { inflateSmall } from './inflate-small.ts';

const inflateAsync = promisify(inflate) as (input: InputType, options: ZlibOptions) => Promise<Buffer>;

/** Up to here, inflating takes less time than handing the work to another thread. */
export const MAX_INLINE_BYTES = 64 * 1024;

/** Up to here a thread inflates by itself that has nobody to wait for it. */
export const MAX_INLINE_BYTES_OF_READERS: number = 1024 * 1024;

/** The most bytes that zlib makes of so many as git uses it. */
export const maxCompressedBytes = (size: number): number => size + Math.floor(size / 1_000) + 64;

/** The most that others make of them: with little memory, by the fixed code alone, or in many blocks. */
export const maxAnyCompressedBytes = (size: number): number => 2 * size + 4_096;

const options = (size: number) => ({ chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 });

/**
 * Inflates a stream of zlib that is followed by anything, and checks its sum; a large one in another thread.
 * @param input must stay what it is until the bytes are there
 * @param size bytes that come out
 * @throws GitError `corrupt`
 */
export function inflateBytes(input: Buffer, size: number): Buffer | Promise<Buffer> {
  if (size <= MAX_INLINE_BYTES) return inflateBytesSync(input, 0, input.length, size);
  return inflateAsync(input, options(size)).then(
    (data) => mustBe(data, size),
    (error: unknown) => throwCorruptStream(error),
  );
}

/**
 * The same at once.
 * @param bytes have the stream from `from` on, and at most up to `to`
 * @param buffer memory for what comes out, where it is large enough; zlib makes its own
 */
export function inflateBytesSync(bytes: Buffer, from: number, to: number, size: number, buffer?: Buffer): Buffer {
  const out = buffer !== undefined && size <= buffer.length ? buffer : null;
  if (out !== null && inflateSmall(bytes, from, to, out, size)) return out.subarray(0, size);
  if (size < MAX_INLINE_BYTES_OF_READERS) {
    // One byte more than there should be would be seen.
    const room = out !== null && size < out.length ? out : Buffer.allocUnsafeSlow(size + 1);
    if (inflateInJs(bytes, from, to, room, size + 1, true) === size) return room.subarray(0, size);
  }
  try {
    return mustBe(inflateSync(bytes.subarray(from, to), options(size)), size);
  } catch (error) {
    return throwCorruptStream(error);
  }
}

/** Enough for the header of an object or the sizes of a delta. */
const start = allocateScratch(64);

/**
 * What the first bytes of a stream of zlib inflate to, unchecked: 64 or more, unless there are fewer.
 * @returns in memory that is used again
 * @throws GitError `corrupt`
 */
export function inflatePrefix(input: Buffer): Buffer {
  const length = inflateInJs(input, 0, input.length, start, start.length, false);
  if (length >= 0) return start.subarray(0, length);
  try {
    return inflateSync(input, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return throwCorruptStream(error);
  }
}

function mustBe(data: Buffer, size: number): Buffer {
  if (data.length !== size) throw new GitError('corrupt', 'inflate: another length than stated');
  return data;
}

/** Throws what zlib says as GitError `corrupt`, anything else as it is. */
export function throwCorruptStream(error: unknown): never {
  if (error instanceof GitError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!code.startsWith('Z_') && code !== 'ERR_BUFFER_TOO_LARGE') throw error;
  throw new GitError('corrupt', `inflate: ${message}`);
}
