import type { Deps } from '../deps.ts';
import { GitError } from '../git/git.errors.ts';
import type { Repository } from '../git/git.repository.ts';
import { removeStaleLocks } from '../git/stale-locks.ts';

/** Beside other server processes only what is as old as this is surely left over: a push may take hours. */
const SHARED_AGE_MS = 24 * 3_600_000;

/** What was last changed before this instant, and still locks or is temporary, was left by a killed process. */
export function orphanedBefore({ startedAt, uptimeMs, alone }: Deps): Date {
  if (!alone) return new Date(Date.now() - SHARED_AGE_MS);
  // A clock that was set back meanwhile gives new files times before those of the start.
  return new Date(Math.min(startedAt.getTime(), Date.now() - uptimeMs()));
}

/**
 * Runs a write to a repository; where a lock stands in its way that a killed process has left, once more without it.
 * @throws what `write` throws; GitError `locked` for a lock that somebody holds
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
