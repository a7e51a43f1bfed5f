import type { Repository } from './git.repository.ts';
import { type Revision, resolveRevision } from './revision.ts';

/** Parts of an address that are tried as a name. */
const MAX_PARTS = 60;

export interface RefAndPath {
  /** What stands for the commit, as it was written. */
  ref: string;
  revision: Revision;
  /** What follows; empty where nothing does. */
  path: string;
}

/**
 * Takes apart an address like `feature/x/docs/a.md`, of which nothing tells where the branch ends: the longest branch or
 * tag wins, else the first part is any revision.
 * @returns null where it begins with no commit
 * @throws GitError `corrupt` where the reference is broken
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
