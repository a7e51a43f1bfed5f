import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { GitError } from '../git.errors.ts';
import type { BlockFile } from './block-file.ts';
import { maxAnyCompressedBytes, throwCorruptStream } from './inflate.ts';

const CHUNK = 128 * 1024;

/**
 * What a stream of zlib in a file inflates to, in pieces; no more is read than somebody takes.
 * @param size bytes that come out
 * @throws GitError `corrupt`, also after the first pieces; the file system's error
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
  if (bytes !== size) throw new GitError('corrupt', 'inflate: another length than stated');
}

async function* fileChunks(file: BlockFile, offset: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; ) {
    const chunk = await file.read(offset + at, Math.min(CHUNK, length - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}
