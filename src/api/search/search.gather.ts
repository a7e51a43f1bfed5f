import { threadTime } from '../../core/thread-time.ts';
import type { Deps } from '../../deps.ts';
import { GitError, isUnreadable } from '../../git/common/index.ts';
import { openSearched, type SearchedCommit, type SearchedHolder } from './search.repositories.ts';

/** Number of matches after which a search ends. */
export const MAX_MATCHES = 1_000;
/** Number of repositories searched at once. */
const AT_ONCE = 4;
/** Processor time in milliseconds of this process after which no further repository is looked into. */
const MAX_TIME = 10_000;

/** How one repository is searched. */
export interface RepositorySearch<T> {
  /**
   * Finds at most `limit` matches.
   * @param found receives the matches, so that those before an error are kept
   */
  find(commit: SearchedCommit, limit: number, found: T[]): Promise<void>;
}

/** Whether a repository of many is passed over: it is damaged, or too large for its share of processor time. */
const isPassedOver = (error: unknown): boolean => isUnreadable(error) || (error instanceof GitError && error.permanent);

/**
 * Searches repositories in order, until enough is found. One repository fails as its errors say; of many, those are
 * passed over that are damaged or too large.
 * @param wanted number of matches
 * @throws ApiError 404 for an unknown `ref`; GitError
 */
export async function gather<T>(
  deps: Deps,
  holders: readonly SearchedHolder[],
  { wanted, ref }: { wanted: number; ref: string | undefined },
  search: RepositorySearch<T>,
): Promise<T[]> {
  const limit = Math.min(wanted, MAX_MATCHES);
  const all: T[] = [];
  const one = async (holder: SearchedHolder): Promise<T[]> => {
    const found: T[] = [];
    try {
      const commit = await openSearched(deps, holder, ref);
      if (commit !== null) await search.find(commit, limit - all.length, found);
    } catch (error) {
      if (holders.length === 1 || !isPassedOver(error)) throw error;
    }
    return found;
  };
  const begun = threadTime();
  for (let at = 0; at < holders.length && all.length < limit && threadTime() - begun < MAX_TIME; at += AT_ONCE) {
    const found = await Promise.all(holders.slice(at, at + AT_ONCE).map(one));
    all.push(...found.flat());
  }
  return all.slice(0, limit);
}
