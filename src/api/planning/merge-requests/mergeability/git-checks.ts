import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { changedPaths } from '../../../../git/diff/index.ts';
import { isAncestor, mergeBase } from '../../../../git/history/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { tipOf } from '../lifecycle/branches.ts';
import type { MergeFacts } from './mergeability.facts.ts';

/** Whether there are no commits to merge, or a branch is missing. */
export async function lacksCommits(deps: Deps, { mergeRequest, source, target, empty }: MergeFacts): Promise<boolean> {
  if (empty || mergeRequest.head_sha === null || source === null) return true;
  return (
    (await tipOf(deps, source, mergeRequest.source_branch)) === null ||
    (await tipOf(deps, target, mergeRequest.target_branch)) === null
  );
}

/** Whether the merge request changes a file that another user has locked. */
export async function changesLockedPaths(deps: Deps, facts: MergeFacts): Promise<boolean> {
  const { mergeRequest, target, settings, lockedPaths } = facts;
  if (lockedPaths.size === 0 || !settings.lfs_enabled || mergeRequest.head_sha === null) return false;
  const repo = repositoryOf(deps, target);
  const tip = await tipOf(deps, target, mergeRequest.target_branch);
  if (tip === null) return false;
  return present(async () => {
    const base = await mergeBase(repo, [tip, mergeRequest.head_sha!]);
    return (
      base !== null && (await changedPaths(repo, base, mergeRequest.head_sha!)).some((path) => lockedPaths.has(path))
    );
  });
}

/** Whether the project requires a linear history and the target branch has commits that the source lacks. */
export async function needsRebase(deps: Deps, { mergeRequest, target, settings }: MergeFacts): Promise<boolean> {
  if (settings.merge_method === 'merge' || mergeRequest.head_sha === null) return false;
  const tip = await tipOf(deps, target, mergeRequest.target_branch);
  if (tip === null) return false;
  return present(async () => !(await isAncestor(repositoryOf(deps, target), tip, mergeRequest.head_sha!)));
}

/** Runs a check; false while the head is not yet in the target repository. */
async function present(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof GitError && error.code === 'failed') return false;
    throw error;
  }
}
