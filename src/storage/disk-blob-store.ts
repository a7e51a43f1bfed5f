import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isResourceExhaustion } from '../core/resource-exhaustion.ts';
import { syncHandle } from '../core/unsynced-folders.ts';
import { isMissing, syncPath } from '../git/files/index.ts';
import { BlobError, type BlobStore, type ByteRange, type PutOptions, type StoredBlob } from './blob-store.ts';

const SHA256 = /^[0-9a-f]{64}$/;
const TEMPORARY = 'tmp';
const CHUNK = 256 * 1024;

async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** @throws BlobError */
function checkRange(start: number, end: number): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new BlobError('invalid', 'invalid byte range');
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Copies a stream into a file at a path, durably, with its size and hash. */
async function receive(input: Readable, handle: FileHandle, path: string, options: PutOptions): Promise<StoredBlob> {
  const { maxBytes, expectedSha256, expectedSize } = options;
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > maxBytes) throw new BlobError('too_large', `more than ${maxBytes} bytes`);
    if (size > (expectedSize ?? maxBytes))
      throw new BlobError('mismatch', `more than the expected ${expectedSize} bytes`);
    hash.update(bytes);
    await writeAll(handle, bytes);
  }
  const sha256 = hash.digest('hex');
  if (size !== (expectedSize ?? size)) throw new BlobError('mismatch', `${size} bytes instead of ${expectedSize}`);
  if (sha256 !== (expectedSha256 ?? sha256)) throw new BlobError('mismatch', 'the content has a different SHA-256');
  await syncHandle(handle, path);
  return { sha256, size };
}

/** A blob store in a folder: `ab/cd/<sha256>`, and `tmp` for uploads in progress. */
export class DiskBlobStore implements BlobStore {
  readonly #root: string;

  /** @param root folder of the store, created if it is missing */
  constructor(root: string) {
    this.#root = root;
  }

  async put(input: Readable, options: PutOptions): Promise<StoredBlob> {
    // The input may fail before the first read, which then reports the error.
    input.on('error', () => {});
    if (options.expectedSha256 !== undefined) this.#path(options.expectedSha256);
    if ((options.expectedSize ?? 0) > options.maxBytes)
      throw new BlobError('too_large', `more than ${options.maxBytes} bytes`);
    const folder = join(this.#root, TEMPORARY);
    await mkdir(folder, { recursive: true });
    const temporary = join(folder, randomUUID());
    try {
      const handle = await open(temporary, 'wx', 0o600);
      const blob = await receive(input, handle, temporary, options).finally(() => handle.close());
      await this.#keep(temporary, blob.sha256);
      return blob;
    } catch (error) {
      // The input may not have been read at all.
      if (isResourceExhaustion(error)) input.destroy();
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async get(sha256: string, range?: ByteRange): Promise<Readable | null> {
    const { start, end } = range ?? { start: 0, end: Number.MAX_SAFE_INTEGER };
    checkRange(start, end);
    const handle = await orNull(open(this.#path(sha256), 'r'));
    return handle?.createReadStream({ start, end, highWaterMark: CHUNK }) ?? null;
  }

  async read(sha256: string, start: number, length: number): Promise<Buffer | null> {
    checkRange(start, start + length);
    const handle = await orNull(open(this.#path(sha256), 'r'));
    if (handle === null) return null;
    try {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      for (let more = 1; filled < length && more > 0; filled += more) {
        more = (await handle.read(bytes, filled, length - filled, start + filled)).bytesRead;
      }
      return bytes.subarray(0, filled);
    } finally {
      await handle.close();
    }
  }

  async stat(sha256: string): Promise<StoredBlob | null> {
    const stats = await orNull(stat(this.#path(sha256)));
    return stats === null ? null : { sha256, size: stats.size };
  }

  async delete(sha256: string, unusedSince?: Date): Promise<boolean> {
    const path = this.#path(sha256);
    const stats = await orNull(stat(path));
    if (stats === null || (unusedSince !== undefined && stats.mtime >= unusedSince)) return false;
    if (unusedSince === undefined) return (await orNull(unlink(path).then(() => true))) ?? false;
    // The blob may have been stored again since it was checked: it is moved away, checked again, and moved back if
    // needed.
    const folder = join(this.#root, TEMPORARY);
    await mkdir(folder, { recursive: true });
    const taken = join(folder, randomUUID());
    if ((await orNull(rename(path, taken).then(() => true))) === null) return false;
    const isOld = (await stat(taken)).mtime < unusedSince;
    if (isOld) await unlink(taken);
    else await this.#keep(taken, sha256);
    return isOld;
  }

  async removeLeftovers(olderThan: Date): Promise<number> {
    const folder = join(this.#root, TEMPORARY);
    let removed = 0;
    for (const name of (await orNull(readdir(folder))) ?? []) {
      const path = join(folder, name);
      const stats = await orNull(stat(path));
      if (stats === null || stats.mtime >= olderThan) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  #path(sha256: string): string {
    if (!SHA256.test(sha256)) throw new BlobError('invalid', 'not a SHA-256');
    return join(this.#root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  }

  /** Renames a complete file to its final name. It replaces an equal one, so that a blob stored again counts as new. */
  async #keep(temporary: string, sha256: string): Promise<void> {
    const path = this.#path(sha256);
    const outer = join(this.#root, sha256.slice(0, 2));
    const inner = join(outer, sha256.slice(2, 4));
    await mkdir(inner, { recursive: true });
    await rename(temporary, path);
    // Another writer may have created the folders without having flushed them yet.
    await Promise.all([this.#root, outer, inner].map(syncPath));
  }
}
