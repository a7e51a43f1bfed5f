import type { UserCaller } from '../../../access/caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { recordShare } from '../../../audit/shares.ts';
import { timestamp } from '../../../core/clock.ts';
import type { GroupLink } from '../../../db/tables/group-links.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import { groupSettings } from '../groups/settings.ts';
import { givenBy } from '../member-roles/give.ts';
import { requireStillInSource, SHARE, type Source } from '../source.ts';
import { requireCover, validateShare, type Wanted } from './rules.ts';

/** Some trees of groups share with no group outside of them: whether that keeps the invited one out of a place in the group. */
export async function isKeptOut(deps: Deps, group: Namespace, invited: Namespace): Promise<boolean> {
  const rootId = lineageIds(group.lineage)[0]!;
  if (lineageIds(invited.lineage)[0] === rootId) return false;
  const root = await deps.db.selectFrom('namespaces').select('settings').where('id', '=', rootId).executeTakeFirst();
  return root !== undefined && groupSettings(root).prevent_sharing_groups_outside_hierarchy;
}

/**
 * Lets the members of a group into a place. What already lets them in violates a unique index.
 * @throws ApiError 400, 401, 403, 404
 */
export function insertShare(
  deps: Deps,
  caller: UserCaller,
  source: Source,
  invited: Namespace,
  wanted: Wanted,
): Promise<GroupLink> {
  return deps.db.transaction().execute(async (db) => {
    const own = await requireStillInSource(deps, db, caller, source, SHARE);
    requireCover(own, source, await validateShare(deps, db, source, wanted));
    const link = await db
      .insertInto('group_links')
      .values({
        source_type: source.kind,
        source_id: source.id,
        group_id: invited.id,
        group_access: wanted.accessLevel,
        member_role_id: wanted.memberRoleId,
        expires_at: wanted.expiresAt,
        created_at: timestamp(deps.clock),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordShare(deps, db, 'created', link);
    return link;
  });
}

/**
 * Takes a share back; nobody takes one that gives more than they have.
 * @returns whether there was one
 * @throws ApiError 401, 403, 404
 */
export function removeShare(deps: Deps, caller: UserCaller, source: Source, groupId: number): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const own = await requireStillInSource(deps, db, caller, source, SHARE);
    const link = await db
      .deleteFrom('group_links')
      .where('source_type', '=', source.kind)
      .where('source_id', '=', source.id)
      .where('group_id', '=', groupId)
      .returningAll()
      .executeTakeFirst();
    if (link === undefined) return false;
    const { group_access: access_level, member_role_id } = link;
    requireCover(own, source, await givenBy(db, { access_level, member_role_id }));
    await recordShare(deps, db, 'removed', link);
    return true;
  });
}
