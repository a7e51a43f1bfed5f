import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { recordShare } from '../../../audit/shares.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import type { GroupLink } from '../../../db/tables/group-links.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { groupSettings } from '../groups/groups.settings.ts';
import { grantedBy } from '../member-roles/member-roles.assign.ts';
import { revalidateSourceAbility, SHARE, type Source } from '../spaces.source.ts';
import { type MembershipInput, requireCover, validateShare } from './members.rules.ts';

/** Whether the settings of a group prevent sharing with a group outside of its hierarchy. */
export async function isShareForbidden(deps: Deps, group: Namespace, invited: Namespace): Promise<boolean> {
  const rootId = lineageIds(group.lineage)[0]!;
  if (lineageIds(invited.lineage)[0] === rootId) return false;
  const root = await deps.db.selectFrom('namespaces').select('settings').where('id', '=', rootId).executeTakeFirst();
  return root !== undefined && groupSettings(root).prevent_sharing_groups_outside_hierarchy;
}

/**
 * Shares a project or group with a group. An existing share violates a unique index.
 * @throws ApiError 400, 401, 403, 404
 */
export function insertShare(
  deps: Deps,
  caller: UserCaller,
  source: Source,
  invited: Namespace,
  input: MembershipInput,
): Promise<GroupLink> {
  return deps.db.transaction().execute(async (db) => {
    const own = await revalidateSourceAbility(deps, db, caller, source, SHARE);
    requireCover(own, source, await validateShare(deps, db, source, input));
    const link = await db
      .insertInto('group_links')
      .values({
        source_type: source.kind,
        source_id: source.id,
        group_id: invited.id,
        group_access: input.accessLevel,
        member_role_id: input.memberRoleId,
        expires_at: input.expiresAt,
        created_at: timestamp(deps.clock),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordShare(deps, db, 'created', link);
    return link;
  });
}

/**
 * Removes a share, but not one that grants more than the caller has.
 * @returns whether there was one
 * @throws ApiError 401, 403, 404
 */
export function removeShare(deps: Deps, caller: UserCaller, source: Source, groupId: number): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const own = await revalidateSourceAbility(deps, db, caller, source, SHARE);
    const link = await db
      .deleteFrom('group_links')
      .where('source_type', '=', source.kind)
      .where('source_id', '=', source.id)
      .where('group_id', '=', groupId)
      .returningAll()
      .executeTakeFirst();
    if (link === undefined) return false;
    const { group_access: access_level, member_role_id } = link;
    requireCover(own, source, await grantedBy(db, { access_level, member_role_id }));
    await recordShare(deps, db, 'removed', link);
    return true;
  });
}
