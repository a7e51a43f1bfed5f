import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { removeStaleLocks } from '../git/files/index.ts';
import type { Repository } from '../git/repository/index.ts';

/** With other server processes, only files of at least this age are certainly stale: a push may take hours. */
const SHARED_AGE_MS = 24 * 3_600_000;

/** Locks and temporary files last changed before this instant were left by a killed process. */
export function orphanedBefore({ start, alone }: Deps): Date {
  if (!alone) return new Date(Date.now() - SHARED_AGE_MS);
  // A clock that was set back gives new files earlier times than the start.
  return new Date(Math.min(start.at.getTime(), Date.now() - start.uptimeMs()));
}

/**
 * Runs a write to a repository; if a stale lock blocks it, removes the lock and runs the write again.
 * @throws errors of `write`; GitError `locked` for a lock that is held
 */
export async function retryWithoutStaleLocks<T>(deps: Deps, repo: Repository, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'locked') throw error;
    if ((await removeStaleLocks(repo.dir, orphanedBefore(deps))).length === 0) throw error;
    return write();
  }
}
