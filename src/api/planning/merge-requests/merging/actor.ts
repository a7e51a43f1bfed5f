import type { UserCaller } from '../../../../access/caller.ts';
import { callerNow } from '../../../../access/caller-now.ts';
import { standingIn } from '../../../../access/standing.ts';
import { conflict, recordNotFound, unauthorized } from '../../../../core/errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { Project } from '../../../../db/tables/projects.ts';
import type { PushRule } from '../../../../db/tables/push-rules.ts';
import type { Deps } from '../../../../deps.ts';
import { canMergeBy, loadRefRules } from '../../../../repositories/protections.ts';

/**
 * Refuses whom the target branch is closed to by now, in the transaction that merges.
 * @returns the target project as it is now, and its push rule
 * @throws ApiError 401, 403, 404
 */
export async function requireMerger(
  deps: Deps,
  caller: UserCaller,
  { project_id, target_branch }: MergeRequest,
): Promise<{ project: Project; pushRule: PushRule | null }> {
  const standing = await standingIn(deps, await callerNow(deps, caller), project_id);
  if (standing === undefined || !standing.permissions.can('read_merge_request')) throw recordNotFound();
  const { protections, pushRule } = await loadRefRules(deps, project_id);
  if (!(await canMergeBy(deps, standing, protections, target_branch))) throw unauthorized();
  return { project: standing.project, pushRule };
}

/** Refuses what leads to another branch than whoever asked has seen. @throws ApiError 409 */
export function refuseOtherTarget(seen: MergeRequest, now: MergeRequest): void {
  if (seen.target_branch === now.target_branch) return;
  throw conflict('The target branch was changed meanwhile. Please look at the merge request and try again.');
}
