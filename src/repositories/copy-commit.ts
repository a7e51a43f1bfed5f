import { notFound } from '../core/core.errors.ts';
import { runGit } from '../git/git.process.ts';
import type { Repository } from '../git/git.repository.ts';

const CPU_MS = 300_000;

/**
 * Brings a commit with all of its history from another repository of this installation, and nothing else. What is there
 * already is not copied again; what an earlier attempt left half done is completed.
 * @throws ApiError 404 `404 Commit Not Found` where it does not arrive; GitError `failed`, `timeout`
 */
export async function copyCommit(from: Repository, to: Repository, oid: string): Promise<void> {
  await runGit(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--end-of-options', from.dir, oid], {
    gitDir: to.dir,
    cpuMs: CPU_MS,
  });
  if ((await to.objects.info(oid)) === null) throw notFound('Commit');
}
