import { changedPaths } from '../../git/changed-paths.ts';
import { mergeBase } from '../../git/git.compare.ts';
import { GitError, type GitErrorCode } from '../../git/git.errors.ts';
import type { Repository } from '../../git/git.repository.ts';
import { resolveRevision } from '../../git/revision.ts';

/** What a pipeline is made for, as `rules:changes` asks. */
export interface PipelineChanges {
  /** The commit. */
  sha: string;
  /** The one that it is compared with: of a push what the branch was before, of a merge request its base; null for nothing. */
  from: string | null;
}

/** Errors that say that nobody can tell: a condition counts as true then. */
const UNKNOWN: readonly GitErrorCode[] = ['failed', 'timeout', 'output_too_large'];

/**
 * Paths that a pipeline changes; null where nothing is known.
 * @param compareTo a branch, tag or commit in the place of what it is compared with: what has changed since they parted
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
