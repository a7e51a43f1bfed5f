import { promisify } from 'node:util';
import { constants, type InputType, inflate, inflateSync, type ZlibOptions } from 'node:zlib';
import { GitError } from '../../common/index.ts';
import { allocateScratch } from './buffer-pool.ts';
import { inflateReused } from './inflate-reused.ts';

const inflateAsync = promisify(inflate) as (input: InputType, options: ZlibOptions) => Promise<Buffer>;

/** Up to this size, inflating is faster than handing the work to another thread. */
export const MAX_INLINE_BYTES = 64 * 1024;

/** Up to this size, a reader thread inflates by itself, since nobody else waits for it. */
export const MAX_INLINE_BYTES_OF_READERS: number = 1024 * 1024;

/** Maximum compressed size of `size` bytes, with zlib as git uses it. */
export const maxCompressedBytes = (size: number): number => size + Math.floor(size / 1_000) + 64;

/** Maximum compressed size with other encoders: with little memory, with the fixed code alone, or in many blocks. */
export const maxAnyCompressedBytes = (size: number): number => 2 * size + 4_096;

const options = (size: number) => ({ chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 });

/**
 * Inflates a zlib stream followed by arbitrary data and verifies its checksum. Large streams are inflated on another
 * thread.
 * @param input must not change until the result is available
 * @param size inflated size
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
 * Like `inflateBytes`, but synchronous.
 * @param bytes contain the stream from `from` on, ending at or before `to`
 * @param buffer reusable memory for the output, used if it is large enough
 */
export function inflateBytesSync(bytes: Buffer, from: number, to: number, size: number, buffer?: Buffer): Buffer {
  const out = buffer !== undefined && size <= buffer.length ? buffer : null;
  if (size < MAX_INLINE_BYTES_OF_READERS) {
    // One extra byte reveals a stream that is too long.
    const room = out !== null && size < out.length ? out : Buffer.allocUnsafeSlow(size + 1);
    if (inflateReused(bytes, from, to, room, size + 1, true) === size) return room.subarray(0, size);
  }
  try {
    return mustBe(inflateSync(bytes.subarray(from, to), options(size)), size);
  } catch (error) {
    return throwCorruptStream(error);
  }
}

/** Large enough for an object header or the sizes of a delta. */
const start = allocateScratch(64);

/**
 * Inflates the start of a zlib stream without verifying it: at least 64 bytes, unless it is shorter.
 * @returns bytes in reusable memory
 * @throws GitError `corrupt`
 */
export function inflatePrefix(input: Buffer): Buffer {
  const length = inflateReused(input, 0, input.length, start, start.length, false);
  if (length >= 0) return start.subarray(0, length);
  try {
    return inflateSync(input, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return throwCorruptStream(error);
  }
}

function mustBe(data: Buffer, size: number): Buffer {
  if (data.length !== size) throw new GitError('corrupt', 'inflate: length differs from the stated one');
  return data;
}

/** Throws zlib errors as GitError `corrupt`, others unchanged. */
export function throwCorruptStream(error: unknown): never {
  if (error instanceof GitError) throw error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!code.startsWith('Z_') && code !== 'ERR_BUFFER_TOO_LARGE') throw error;
  throw new GitError('corrupt', `inflate: ${message}`);
}
