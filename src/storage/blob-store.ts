import type { Readable } from 'node:stream';

export interface PutOptions {
  /** Largest content in bytes. */
  maxBytes: number;
  /** What the content must hash to, 64 lower-case hex digits. */
  expectedSha256?: string;
  /** How long the content must be, in bytes. */
  expectedSize?: number;
}

export interface StoredBlob {
  sha256: string;
  /** In bytes. */
  size: number;
}

/** Part of a blob: the offsets of its first and its last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

export type BlobErrorCode = 'too_large' | 'mismatch' | 'invalid';

/** Why content was not taken. */
export class BlobError extends Error {
  override name = 'BlobError';
  readonly code: BlobErrorCode;

  constructor(code: BlobErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Immutable content by its SHA-256: LFS objects, uploads, artifacts, packages. Who may read what is the callers' matter. */
export interface BlobStore {
  /**
   * Takes a stream to its end. Equal content is kept once. Durable when it fulfils; nothing is left of a failed one.
   * The input is not destroyed by a refusal, so that the client can still be answered.
   * @throws BlobError `too_large`, `mismatch`, `invalid` for a malformed hash; what the input or the disk fails with
   */
  put(input: Readable, options: PutOptions): Promise<StoredBlob>;
  /**
   * The content, or a part of it.
   * @returns null when there is no such blob
   * @throws BlobError `invalid` for a malformed hash or range
   */
  get(sha256: string, range?: ByteRange): Promise<Readable | null>;
  /**
   * Part of a blob, for what is small: a stream takes several times as long until its first byte.
   * @param length in bytes; what comes is shorter where the blob ends
   * @returns null when there is no such blob
   * @throws BlobError `invalid` for a malformed hash or range
   */
  read(sha256: string, start: number, length: number): Promise<Buffer | null>;
  /** @returns null when there is no such blob; @throws BlobError `invalid` for a malformed hash */
  stat(sha256: string): Promise<StoredBlob | null>;
  /**
   * Removes a blob that nothing refers to any more.
   * @param unusedSince when given, a blob that was put again at or after this time stays: another upload counts on it
   * @returns whether it was removed
   */
  delete(sha256: string, unusedSince?: Date): Promise<boolean>;
  /**
   * Removes what interrupted uploads left.
   * @param olderThan uploads that were written to at or after this time may still be under way
   * @returns how many there were
   */
  removeLeftovers(olderThan: Date): Promise<number>;
}
