import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { GitError } from '../../common/index.ts';
import type { BlockFile } from './block-file.ts';
import { maxAnyCompressedBytes, throwCorruptStream } from './inflate.ts';

const CHUNK = 128 * 1024;

/**
 * Inflates a zlib stream of a file in chunks, reading on demand.
 * @param size inflated size
 * @throws GitError `corrupt`, possibly after the first chunks; the file system's error
 */
export async function* inflateChunks(file: BlockFile, offset: number, size: number): AsyncGenerator<Buffer> {
  const release = file.hold();
  const inflate = createInflate({ chunkSize: CHUNK });
  const source = Readable.from(fileChunks(file, offset, maxAnyCompressedBytes(size)), { highWaterMark: 1 });
  source.on('error', (error) => inflate.destroy(error));
  source.pipe(inflate);
  let bytes = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > size) break;
      yield chunk;
    }
  } catch (error) {
    throwCorruptStream(error);
  } finally {
    release();
    source.destroy();
    inflate.destroy();
  }
  if (bytes !== size) throw new GitError('corrupt', 'inflate: length differs from the stated one');
}

async function* fileChunks(file: BlockFile, offset: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; ) {
    const chunk = await file.read(offset + at, Math.min(CHUNK, length - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}
