import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Deps } from '../deps.ts';
import { BlobError } from '../storage/blob-store.ts';
import { maxFileBytes } from './package-registry.limits.ts';

/** A stored file that nothing refers to yet. Digests are in lowercase hexadecimal digits. */
export interface ReceivedFile {
  sha256: string;
  md5: string;
  sha1: string;
  sha512: string;
  /** Size in bytes. */
  size: number;
}

/** Content that exceeds the maximum file size of its kind. */
export class FileTooLarge extends Error {
  override name = 'FileTooLarge';
}

/**
 * Stores an incoming file, with the digests that package tools use.
 * @param maxBytes maximum size; the registry's limit by default
 * @throws FileTooLarge; errors of the stream
 */
export async function receiveFile(deps: Deps, type: string, bytes: Readable, maxBytes?: number): Promise<ReceivedFile> {
  const digests = { md5: createHash('md5'), sha1: createHash('sha1'), sha512: createHash('sha512') };
  async function* digested(): AsyncGenerator<Buffer> {
    // The connection stays open for the answer.
    for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const digest of Object.values(digests)) digest.update(chunk);
      yield chunk;
    }
  }
  try {
    const { sha256, size } = await deps.blobs.put(Readable.from(digested(), { objectMode: false }), {
      maxBytes: maxBytes ?? (await maxFileBytes(deps, type)),
    });
    const [md5, sha1, sha512] = [digests.md5, digests.sha1, digests.sha512].map((digest) => digest.digest('hex'));
    return { sha256, md5: md5!, sha1: sha1!, sha512: sha512!, size };
  } catch (error) {
    if (error instanceof BlobError && error.code === 'too_large') throw new FileTooLarge();
    throw error;
  }
}
