import { createHash, hash } from 'node:crypto';
import { cacheKey, GitError, ResultCache } from '../common/index.ts';
import type { Repository } from '../repository/index.ts';

/** Size and hash of a blob. */
export interface ContentDigest {
  /** Size in bytes. */
  size: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

/** Blobs up to this size are hashed in memory; larger ones are streamed. */
const MAX_IN_MEMORY = 1024 * 1024;
const digests = new ResultCache<ContentDigest>('git_content_digests', () => 120);

/**
 * Size and SHA-256 of a blob of any size. Serves `size` and `content_sha256` of repository files.
 * @throws GitError `not_found` if there is no such blob, `corrupt`, `timeout`
 */
export async function contentDigest(repo: Repository, oid: string): Promise<ContentDigest> {
  return await digests.get(cacheKey(repo.key, oid), () => digestOf(repo, oid));
}

async function digestOf(repo: Repository, oid: string): Promise<ContentDigest> {
  const blob = await repo.objects.read(oid, MAX_IN_MEMORY);
  if (blob === null) throw new GitError('not_found', `no blob ${oid}`);
  const { data, size } = blob;
  if (data !== null) return { size, sha256: hash('sha256', data) };
  const sha256 = createHash('sha256');
  for await (const chunk of repo.objects.stream(oid)) sha256.update(chunk as Buffer);
  return { size, sha256: sha256.digest('hex') };
}
