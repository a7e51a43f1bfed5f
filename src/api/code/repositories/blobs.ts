import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Repository } from '../../../git/git.repository.ts';

/** A blob larger than this is rarely asked for as JSON: part 1, section 8.3 limits how often. */
const LARGE = 10 * 1024 * 1024;
/** The most that is turned into one JSON answer; larger blobs are had from `raw`. */
const MAX_JSON = 100 * 1024 * 1024;
/** Blobs up to here are read without asking for memory. */
const SMALL = 1024 * 1024;
/** Bytes, text, JSON and what is sent, beside each other. */
const MEMORY_FACTOR = 5;

export interface FoundBlob {
  oid: string;
  /** Bytes. */
  size: number;
}

/**
 * The blob of a complete or shortened id.
 * @throws ApiError 404 `404 Blob Not Found`
 */
export async function findBlob(repo: Repository, sha: string): Promise<FoundBlob> {
  const wanted = sha.toLowerCase();
  const info = /^[0-9a-f]{4,64}$/.test(wanted) ? await repo.objects.info(wanted) : null;
  // Git may take the digits for the name of a reference.
  if (info?.type !== 'blob' || !info.oid.startsWith(wanted)) throw notFound('Blob');
  return { oid: info.oid, size: info.size };
}

/**
 * The blob as JSON shows it.
 * @param limitLarge called for a blob that may be had only so often
 * @param hold waits for memory for the answer
 * @throws ApiError 404, 413, and what `limitLarge` throws
 */
export async function readBlob(
  repo: Repository,
  { oid, size }: FoundBlob,
  limitLarge: () => void,
  hold: (bytes: number) => Promise<void>,
) {
  if (size > LARGE) limitLarge();
  if (size > MAX_JSON) {
    throw new ApiError(413, '413 Request Entity Too Large - the blob is too large for this answer; get it from /raw');
  }
  if (size > SMALL) await hold(size * MEMORY_FACTOR);
  const data = (await repo.objects.read(oid, MAX_JSON))?.data;
  if (!data) throw notFound('Blob');
  return { size, encoding: 'base64', content: data.toString('base64'), sha: oid };
}
