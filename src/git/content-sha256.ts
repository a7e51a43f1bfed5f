import { createHash, hash } from 'node:crypto';
import { GitError } from './errors.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

/** Up to here a blob is hashed from memory; above it streams from git. */
const MAX_IN_MEMORY = 1024 * 1024;
const digests = new ResultCache<{ hex: string }>(4 * 1024 * 1024, () => 100);

/**
 * SHA-256 of the content of a blob of any size, in hexadecimal digits. Serves `content_sha256` of repository files.
 * @throws GitError `not_found` where there is no such blob, `corrupt`, `timeout`
 */
export async function contentSha256(repo: Repository, oid: string): Promise<string> {
  return (await digests.get(cacheKey(repo.id, oid), () => digestOf(repo, oid))).hex;
}

async function digestOf(repo: Repository, oid: string): Promise<{ hex: string }> {
  const blob = await repo.objects.read(oid, MAX_IN_MEMORY);
  if (blob === null) throw new GitError('not_found', `no blob ${oid}`);
  if (blob.data !== null) return { hex: hash('sha256', blob.data) };
  const sha256 = createHash('sha256');
  for await (const chunk of repo.objects.stream(oid)) sha256.update(chunk as Buffer);
  return { hex: sha256.digest('hex') };
}
