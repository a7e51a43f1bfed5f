import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { conflict, notFound, refused } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { GroupLink } from '../../../db/tables/group-links.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { groupSettings } from '../groups/groups.settings.ts';
import type { MembershipInput } from '../members/members.rules.ts';
import { insertShare, isShareForbidden, removeShare } from '../members/members.shares.ts';
import { projectSource } from '../spaces.source.ts';

/**
 * Shares a project with a group.
 * @throws ApiError 400 for a past expiry or if the group of the project forbids it, 403, 404, 409 if it is already
 * shared
 */
export async function shareProject(
  deps: Deps,
  caller: UserCaller,
  { project, namespace }: { project: Project; namespace: Namespace },
  invited: Namespace,
  input: MembershipInput,
): Promise<GroupLink> {
  if (namespace.kind === 'group') {
    if (groupSettings(namespace).share_with_group_lock) throw refused('The project sharing with group is disabled');
    if (await isShareForbidden(deps, namespace, invited)) throw notFound();
    if (lineageIds(namespace.lineage).includes(invited.id)) {
      throw conflict('Project cannot be shared with the group it is in or one of its ancestors.');
    }
  }
  try {
    return await insertShare(deps, caller, projectSource(project, namespace), invited, input);
  } catch (error) {
    throw isUniqueViolation(error) ? conflict('Group already shared with this group') : error;
  }
}

/** Removes a share, but not one that grants more than the caller has. @throws ApiError 401, 403, 404 */
export async function unshareProject(
  deps: Deps,
  caller: UserCaller,
  { project, namespace }: { project: Project; namespace: Namespace },
  groupId: number,
): Promise<void> {
  const removed = await removeShare(deps, caller, projectSource(project, namespace), groupId);
  if (!removed) throw notFound('Group Link');
}
