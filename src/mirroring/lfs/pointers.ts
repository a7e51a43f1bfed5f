import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { type HistoryRange, type PushedPointer, pointersBetween } from '../../git/transport/index.ts';

/** Time limit of each command in milliseconds. */
const SEARCH_MS = 300_000;

/**
 * LFS pointers in a range of commits; none for a history that is too long.
 * @throws GitError except `timeout`
 */
export async function findPointers(
  deps: Pick<Deps, 'log'>,
  repo: Repository,
  range: HistoryRange,
  signal: AbortSignal,
): Promise<PushedPointer[]> {
  try {
    return await pointersBetween(repo, range, { signal, cpuMs: SEARCH_MS });
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'timeout') throw error;
    deps.log.log('warn', 'the LFS pointers of a mirror were not scanned: too many commits', { repository: repo.id });
    return [];
  }
}
