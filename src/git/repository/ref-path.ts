import type { Repository } from './git.repository.ts';
import { type Revision, resolveRevision } from './revision.ts';

/** Maximum number of path components tried as a name. */
const MAX_PARTS = 60;

export interface RefAndPath {
  /** The revision as given. */
  ref: string;
  revision: Revision;
  /** The rest; empty if there is none. */
  path: string;
}

/**
 * Splits a path like `feature/x/docs/a.md` into revision and file path: the longest branch or tag wins, otherwise the
 * first component is any revision.
 * @returns null if it does not start with a commit
 * @throws GitError `corrupt` if the reference is broken
 */
export async function splitRefPath(repo: Repository, text: string): Promise<RefAndPath | null> {
  const parts = text.split('/');
  for (let length = Math.min(parts.length, MAX_PARTS); length > 0; length -= 1) {
    const ref = parts.slice(0, length).join('/');
    const named = (await repo.refs.resolve(`refs/heads/${ref}`)) ?? (await repo.refs.resolve(`refs/tags/${ref}`));
    if (named === null && length > 1) continue;
    const revision = await resolveRevision(repo, ref);
    if (revision !== null) return { ref, revision, path: parts.slice(length).join('/') };
  }
  return null;
}
