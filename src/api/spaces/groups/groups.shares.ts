import type { Caller, UserCaller } from '../../../access/caller.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { conflict, notFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { insertShare, isShareForbidden, removeShare } from '../members/members.shares.ts';
import { groupSource } from '../spaces.source.ts';
import { groupSettings } from './groups.settings.ts';

export interface NewShare {
  group_access: number;
  expires_at?: string | null | undefined;
  member_role_id?: number | null | undefined;
}

/**
 * Shares a group with another group.
 * @throws ApiError 400 for a past expiry or an unknown role, 404 if the group's settings forbid it, 409 if it is
 * already shared
 */
export async function shareGroup(
  deps: Deps,
  caller: UserCaller,
  group: Namespace,
  invited: Namespace,
  share: NewShare,
): Promise<void> {
  const closed = groupSettings(group).share_with_group_lock || (await isShareForbidden(deps, group, invited));
  if (closed || group.id === invited.id) throw notFound();
  const newShare = {
    accessLevel: share.group_access,
    expiresAt: share.expires_at ?? null,
    memberRoleId: share.member_role_id ?? null,
  };
  try {
    await insertShare(deps, caller, groupSource(group), invited, newShare);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw conflict('Shared group The group has already been shared with this group');
  }
}

/** Removes a share. @throws ApiError 401, 403, 404 */
export async function unshareGroup(deps: Deps, caller: UserCaller, group: Namespace, invitedId: number): Promise<void> {
  if (!(await removeShare(deps, caller, groupSource(group), invitedId))) throw notFound();
}

/** Loads the shares of a project or group with groups that the caller may see. */
export async function sharedWith(deps: Deps, caller: Caller, source: { type: 'project' | 'group'; id: number }) {
  const visible = await visibleGroups(deps, caller);
  const links = await deps.db
    .selectFrom('group_links')
    .selectAll()
    .where('source_type', '=', source.type)
    .where('source_id', '=', source.id)
    .orderBy('id')
    .execute();
  if (links.length === 0) return [];
  const groups = await deps.db
    .selectFrom('namespaces')
    .select(['id', 'name', 'full_path'])
    .where('id', 'in', pluck(links, 'group_id'))
    .where(visible)
    .execute();
  const byId = new Map(groups.map((group) => [group.id, group]));
  return links.flatMap((link) => {
    const group = byId.get(link.group_id);
    if (group === undefined) return [];
    return {
      group_id: group.id,
      group_name: group.name,
      group_full_path: group.full_path,
      group_access_level: link.group_access,
      expires_at: link.expires_at,
      member_role_id: link.member_role_id,
    };
  });
}
