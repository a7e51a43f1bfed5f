/** Merges, rebases, cherry-picks and reverts. */

export { type BranchMergeResult, createMerge } from './branch-merge.ts';
export { cherryPick, mergeCommits, revert } from './git.merge.ts';
export { originalAuthor, rebaseCommits } from './git.rebase.ts';
