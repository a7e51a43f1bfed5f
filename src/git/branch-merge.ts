import { writeCommit } from './commit-writer.ts';
import { isAncestor, mergeBase } from './git.compare.ts';
import { GitError } from './git.errors.ts';
import { mergeCommits } from './git.merge.ts';
import type { Repository } from './git.repository.ts';
import type { NewIdentity } from './object-encode.ts';

export interface BranchMerge {
  /** Where the target branch is. */
  tip: string;
  /** The commit that is merged into it. */
  head: string;
  /** `ff`: no merge commit; `rebase_merge`: a merge commit, but only on top of the tip. */
  method: 'merge' | 'rebase_merge' | 'ff';
  /** Message of the one commit that stands for all of the branch; null to merge its own commits. */
  squashMessage: string | null;
  mergeMessage: string;
  /** Author of the squash commit. */
  author: NewIdentity;
  /** Who merges: author of the merge commit, and committer of both. */
  committer: NewIdentity;
}

export type BranchMergeResult =
  | { kind: 'merged'; tip: string; mergeCommit: string | null; squashCommit: string | null }
  | { kind: 'conflict' }
  /** The target has commits that the head has not, and the method does not allow that. */
  | { kind: 'diverged' }
  /** The target has all of the head already. */
  | { kind: 'nothing' };

/**
 * Makes the commits that merge one commit into a branch; moves no reference. Durable when it fulfils.
 * @throws GitError `failed` where a commit is not in the repository, else as `mergeCommits` and `writeCommit` do
 */
export async function makeMerge(repo: Repository, merge: BranchMerge): Promise<BranchMergeResult> {
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

/** One commit with the files of the head, on top of where the branch left the target. */
async function squash(repo: Repository, merge: BranchMerge, base: string): Promise<string | null> {
  const { head, squashMessage, author, committer } = merge;
  if (squashMessage === null) return null;
  const commit = await repo.objects.commit(head);
  if (commit === null) throw new GitError('failed', `no commit ${head}`);
  const only = commit.parents.length === 1 && commit.parents[0] === base;
  // A commit that is what squashing would make of it stays itself.
  if (only && commit.message.trim() === squashMessage.trim()) return head;
  return await writeCommit(repo, { tree: commit.tree, parents: [base], author, committer, message: squashMessage });
}
