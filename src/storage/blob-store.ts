import type { Readable } from 'node:stream';

export interface PutOptions {
  /** Maximum size of the content in bytes. */
  maxBytes: number;
  /** Required SHA-256 hash of the content, 64 lowercase hex digits. */
  expectedSha256?: string;
  /** Required size of the content in bytes. */
  expectedSize?: number;
}

export interface StoredBlob {
  sha256: string;
  /** Size in bytes. */
  size: number;
}

/** Range of a blob: the offsets of its first and last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

export type BlobErrorCode = 'too_large' | 'mismatch' | 'invalid';

/** Why content was refused. */
export class BlobError extends Error {
  override name = 'BlobError';
  readonly code: BlobErrorCode;

  constructor(code: BlobErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Immutable content addressed by its SHA-256: LFS objects, uploads, artifacts, packages. Callers decide who may read
 * it.
 */
export interface BlobStore {
  /**
   * Stores a stream. Equal content is stored once. Durable when the promise is fulfilled; a failed upload leaves
   * nothing behind. The input is not destroyed on a refusal, so that the client can still be answered.
   * @throws BlobError `too_large`, `mismatch`, `invalid` for a malformed hash; errors of the input or the disk
   */
  put(input: Readable, options: PutOptions): Promise<StoredBlob>;
  /**
   * Streams the content or a range of it.
   * @returns null if there is no such blob
   * @throws BlobError `invalid` for a malformed hash or range
   */
  get(sha256: string, range?: ByteRange): Promise<Readable | null>;
  /**
   * Reads a small part of a blob: a stream takes several times as long to the first byte.
   * @param length in bytes; the result is shorter at the end of the blob
   * @returns null if there is no such blob
   * @throws BlobError `invalid` for a malformed hash or range
   */
  read(sha256: string, start: number, length: number): Promise<Buffer | null>;
  /** @returns null if there is no such blob; @throws BlobError `invalid` for a malformed hash */
  stat(sha256: string): Promise<StoredBlob | null>;
  /**
   * Deletes an unreferenced blob.
   * @param unusedSince if given, a blob that was stored again at or after this time is kept, because another upload
   *   relies on it
   * @returns whether it was deleted
   */
  delete(sha256: string, unusedSince?: Date): Promise<boolean>;
  /**
   * Deletes the remains of interrupted uploads.
   * @param olderThan uploads written to at or after this time may still be in progress
   * @returns number of deleted files
   */
  removeLeftovers(olderThan: Date): Promise<number>;
}
