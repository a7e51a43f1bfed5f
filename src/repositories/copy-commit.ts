import { notFound } from '../core/core.errors.ts';
import { runGit } from '../git/process/index.ts';
import type { Repository } from '../git/repository/index.ts';

const CPU_MS = 300_000;

/**
 * Copies a commit with its history from another repository of this installation, and nothing else. Skips existing
 * objects and completes earlier partial copies.
 * @throws ApiError 404 `404 Commit Not Found` if the copy is incomplete; GitError `failed`, `timeout`
 */
export async function copyCommit(from: Repository, to: Repository, oid: string): Promise<void> {
  await runGit(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--end-of-options', from.dir, oid], {
    gitDir: to.dir,
    cpuMs: CPU_MS,
  });
  if ((await to.objects.info(oid)) === null) throw notFound('Commit');
}
