import { forEachWithConcurrency } from '../../core/concurrency.ts';
import { threadTime } from '../../core/thread-time.ts';
import type { Deps } from '../../deps.ts';
import { GitError, isUnreadable } from '../../git/common/index.ts';
import { openSearched, type SearchedCommit, type SearchedHolder } from './search.repositories.ts';

/** Number of matches after which a search ends. */
export const MAX_MATCHES = 1_000;
/** Processor time in milliseconds of this process after which no further repository is looked into. */
const MAX_TIME = 10_000;

/** How repositories are searched. */
export interface RepositorySearch<T> {
  /** Number of matches wanted. */
  wanted: number;
  /** Branch, tag or commit; the default branches when absent. */
  ref: string | undefined;
  /** Number of repositories searched at once. */
  atOnce: number;
  /**
   * Finds at most `limit` matches in one repository.
   * @param found receives the matches, so that those before an error are kept
   */
  find(commit: SearchedCommit, limit: number, found: T[]): Promise<void>;
}

/** Whether a repository of many is passed over: it is damaged, or too large for its share of processor time. */
const isPassedOver = (error: unknown): boolean => isUnreadable(error) || (error instanceof GitError && error.permanent);

/**
 * Searches repositories in order, until enough is found. One repository fails as its errors say; of many, those are
 * passed over that are damaged or too large.
 * @throws ApiError 404 for an unknown `ref`; GitError
 */
export async function gather<T>(
  deps: Deps,
  holders: readonly SearchedHolder[],
  { wanted, ref, atOnce, find }: RepositorySearch<T>,
): Promise<T[]> {
  const limit = Math.min(wanted, MAX_MATCHES);
  const all: T[] = [];
  const one = async (holder: SearchedHolder): Promise<T[]> => {
    const found: T[] = [];
    try {
      const commit = await openSearched(deps, holder, ref);
      if (commit !== null) await find(commit, limit - all.length, found);
    } catch (error) {
      if (holders.length === 1 || !isPassedOver(error)) throw error;
    }
    return found;
  };
  const begun = threadTime();
  for (let at = 0; at < holders.length && all.length < limit && threadTime() - begun < MAX_TIME; at += atOnce) {
    const found: T[][] = [];
    await forEachWithConcurrency(holders.slice(at, at + atOnce).entries(), atOnce, null, async ([index, holder]) => {
      found[index] = await one(holder);
    });
    all.push(...found.flat());
  }
  return all.slice(0, limit);
}
