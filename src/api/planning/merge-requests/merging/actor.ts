import type { UserCaller } from '../../../../access/caller.ts';
import { callerInProject } from '../../../../access/caller-in-project.ts';
import { revalidateCaller } from '../../../../access/revalidate.ts';
import { conflict, recordNotFound, unauthorized } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { PushRule } from '../../../../db/tables/push-rules.table.ts';
import type { Deps } from '../../../../deps.ts';
import { canMergeBy, loadRefRules } from '../../../../repositories/repository.protections.ts';

/**
 * Checks again, in the transaction that merges, that the caller may merge into the target branch.
 * @returns the current target project and its push rule
 * @throws ApiError 401, 403, 404
 */
export async function requireMerger(
  deps: Deps,
  caller: UserCaller,
  { project_id, target_branch }: MergeRequest,
): Promise<{ project: Project; pushRule: PushRule | null }> {
  const scope = await callerInProject(deps, await revalidateCaller(deps, caller), project_id);
  if (scope === undefined || !scope.permissions.can('read_merge_request')) throw recordNotFound();
  const { protections, pushRule } = await loadRefRules(deps, project_id);
  if (!(await canMergeBy(deps, scope, protections, target_branch))) throw unauthorized();
  return { project: scope.project, pushRule };
}

/** Refuses a merge request whose target branch has changed since the caller saw it. @throws ApiError 409 */
export function refuseOtherTarget(seen: MergeRequest, now: MergeRequest): void {
  if (seen.target_branch === now.target_branch) return;
  throw conflict('The target branch was changed in the meantime. Review the merge request and try again.');
}
