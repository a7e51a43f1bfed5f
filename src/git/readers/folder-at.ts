import { copyOf } from '../../core/own-memory.ts';
import { GitError } from '../errors.ts';
import type { Repository } from '../repository.ts';
import { entryAt } from '../tree.ts';
import type { Question } from './question.ts';

export interface FolderAt {
  /** Id of its tree. */
  tree: string;
  /** The tree's content, without git's object header. */
  bytes: Uint8Array;
}

/**
 * The tree of a folder at a commit. Serves lists of what a folder holds.
 * @param path as for `entryAt`
 * @returns null where there is no folder
 * @throws GitError `corrupt` for a damaged repository
 */
async function readFolderAt(repo: Repository, commit: string, path: string): Promise<FolderAt | null> {
  const entry = await entryAt(repo, commit, path);
  if (entry?.type !== 'tree') return null;
  const tree = await repo.objects.treeObject(entry.oid);
  if (tree === null) throw new GitError('corrupt', `tree ${entry.oid} is missing`);
  return { tree: entry.oid, bytes: copyOf(tree.content) };
}

/** The tree of a folder at a commit. Serves lists of what a folder holds. */
export const FOLDER_AT = { name: 'folder', find: readFolderAt } as const satisfies Question;
