import { writeCommit } from '../commits/index.ts';
import { GitError } from '../common/index.ts';
import { isAncestor, mergeBase } from '../history/index.ts';
import type { NewIdentity } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { mergeCommits } from './git.merge.ts';

export interface BranchMerge {
  /** Head of the target branch. */
  tip: string;
  /** Commit to merge. */
  head: string;
  /** `ff`: fast-forward only; `rebase_merge`: a merge commit, but only on top of the tip. */
  method: 'merge' | 'rebase_merge' | 'ff';
  /** Message of the squash commit; null to merge the individual commits. */
  squashMessage: string | null;
  mergeMessage: string;
  /** Author of the squash commit. */
  author: NewIdentity;
  /** Author of the merge commit, and committer of both commits. */
  committer: NewIdentity;
}

export type BranchMergeResult =
  | { kind: 'merged'; tip: string; mergeCommit: string | null; squashCommit: string | null }
  | { kind: 'conflict' }
  /** The target has commits that are not in the head, which the method does not allow. */
  | { kind: 'diverged' }
  /** The target already contains the head. */
  | { kind: 'nothing' };

/**
 * Creates the commits that merge a commit into a branch, without moving a reference. Durable when it fulfils.
 * @throws GitError `failed` if a commit does not exist, else as `mergeCommits` and `writeCommit`
 */
export async function createMerge(repo: Repository, merge: BranchMerge): Promise<BranchMergeResult> {
  const { tip, head, method } = merge;
  if (await isAncestor(repo, head, tip)) return { kind: 'nothing' };
  if (method !== 'merge' && !(await isAncestor(repo, tip, head))) return { kind: 'diverged' };
  const base = await mergeBase(repo, [tip, head]);
  if (base === null) return { kind: 'conflict' };
  const squashCommit = await squash(repo, merge, base);
  const source = squashCommit ?? head;
  if (method === 'ff') return { kind: 'merged', tip: source, mergeCommit: null, squashCommit };
  const merged = await mergeCommits(repo, tip, source);
  if (merged.kind !== 'clean') return { kind: 'conflict' };
  const { committer, mergeMessage: message } = merge;
  const commit = { tree: merged.tree, parents: [tip, source], author: committer, committer, message };
  const mergeCommit = await writeCommit(repo, commit, merged.objects);
  return { kind: 'merged', tip: mergeCommit, mergeCommit, squashCommit };
}

/** Creates one commit with the files of the head, on top of the merge base. */
async function squash(repo: Repository, merge: BranchMerge, base: string): Promise<string | null> {
  const { head, squashMessage, author, committer } = merge;
  if (squashMessage === null) return null;
  const commit = await repo.objects.commit(head);
  if (commit === null) throw new GitError('failed', `no commit ${head}`);
  const only = commit.parents.length === 1 && commit.parents[0] === base;
  // A commit that equals its squashed form is kept.
  if (only && commit.message.trim() === squashMessage.trim()) return head;
  return await writeCommit(repo, { tree: commit.tree, parents: [base], author, committer, message: squashMessage });
}
