import { GitError, type GitErrorCode } from '../../git/common/index.ts';
import { changedPaths } from '../../git/diff/index.ts';
import { mergeBase } from '../../git/history/index.ts';
import { type Repository, resolveRevision } from '../../git/repository/index.ts';

/** Commits to compare for `rules:changes`. */
export interface PipelineChanges {
  /** Commit of the pipeline. */
  sha: string;
  /**
   * Base of the comparison: the previous head for a push, the merge base for a merge request; null for an empty tree.
   */
  from: string | null;
}

/** Errors that leave the result unknown, for which a condition is true. */
const UNKNOWN: readonly GitErrorCode[] = ['failed', 'timeout', 'output_too_large'];

/**
 * Paths that a pipeline changes; null if unknown.
 * @param compareTo a branch, tag or commit that replaces the base: compares with the merge base
 */
export async function pathsChanged(
  repo: Repository,
  { sha, from }: PipelineChanges,
  compareTo: string | null,
): Promise<string[] | null | { invalidRef: true }> {
  try {
    if (compareTo === null) return from === null ? null : [...(await changedPaths(repo, from, sha))];
    const other = await resolveRevision(repo, compareTo);
    if (other === null) return { invalidRef: true };
    const base = await mergeBase(repo, [other.oid, sha]);
    return base === null ? null : [...(await changedPaths(repo, base, sha))];
  } catch (error) {
    if (error instanceof GitError && UNKNOWN.includes(error.code)) return null;
    throw error;
  }
}
