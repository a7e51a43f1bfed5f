import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Repository } from '../../../git/repository/index.ts';

/** Larger blobs are rate-limited as JSON (part 1, section 8.3). */
const LARGE = 10 * 1024 * 1024;
/** Maximum size of a blob as JSON; larger blobs are available from `raw`. */
const MAX_JSON = 100 * 1024 * 1024;
/** Blobs up to this size are read without reserving memory. */
const SMALL = 1024 * 1024;
/** Memory for bytes, text, JSON and response at the same time, per byte. */
const MEMORY_FACTOR = 5;

export interface BlobInfo {
  oid: string;
  /** Size in bytes. */
  size: number;
}

/** Finds a blob by its full or abbreviated id. @throws ApiError 404 `404 Blob Not Found` */
export async function findBlob(repo: Repository, sha: string): Promise<BlobInfo> {
  const prefix = sha.toLowerCase();
  const info = /^[0-9a-f]{4,64}$/.test(prefix) ? await repo.objects.info(prefix) : null;
  // Git may resolve the digits as the name of a ref.
  if (info?.type !== 'blob' || !info.oid.startsWith(prefix)) throw notFound('Blob');
  return { oid: info.oid, size: info.size };
}

/**
 * Reads a blob as JSON.
 * @param limitLarge called for rate-limited blobs
 * @param hold reserves memory for the response
 * @throws ApiError 404, 413, and errors of `limitLarge`
 */
export async function readBlob(
  repo: Repository,
  { oid, size }: BlobInfo,
  limitLarge: () => void,
  hold: (bytes: number) => Promise<void>,
) {
  if (size > LARGE) limitLarge();
  if (size > MAX_JSON) {
    throw new ApiError(413, '413 Request Entity Too Large - the blob is too large for this endpoint; get it from /raw');
  }
  if (size > SMALL) await hold(size * MEMORY_FACTOR);
  const data = (await repo.objects.read(oid, MAX_JSON))?.data;
  if (!data) throw notFound('Blob');
  return { size, encoding: 'base64', content: data.toString('base64'), sha: oid };
}
