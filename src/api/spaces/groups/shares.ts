import type { Caller, UserCaller } from '../../../access/caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { recordShare } from '../../../audit/shares.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, notFound } from '../../../core/errors.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import { requireCover, validateShare } from '../members/rules.ts';
import { groupSource, requireStillInSource, SHARE } from '../source.ts';
import { groupSettings } from './settings.ts';

export interface NewShare {
  group_access: number;
  expires_at?: string | null | undefined;
  member_role_id?: number | null | undefined;
}

const rootId = (group: Namespace): number => lineageIds(group.lineage)[0]!;

/**
 * Lets the members of another group into the group.
 * @throws ApiError 400 for an expiry in the past or a role that there is not, 404 where the group's settings forbid it, 409 when it is shared already
 */
export async function shareGroup(
  deps: Deps,
  caller: UserCaller,
  group: Namespace,
  invited: Namespace,
  share: NewShare,
): Promise<void> {
  const closed =
    groupSettings(group).share_with_group_lock ||
    (rootId(group) !== rootId(invited) && (await keptInside(deps, group)));
  if (closed || group.id === invited.id) throw notFound();
  const wanted = {
    accessLevel: share.group_access,
    expiresAt: share.expires_at ?? null,
    memberRoleId: share.member_role_id ?? null,
  };
  try {
    await deps.db.transaction().execute(async (db) => {
      const source = groupSource(group);
      const own = await requireStillInSource(deps, db, caller, source, SHARE);
      requireCover(own, source, await validateShare(deps, db, source, wanted));
      const link = await db
        .insertInto('group_links')
        .values({
          source_type: 'group',
          source_id: group.id,
          group_id: invited.id,
          group_access: wanted.accessLevel,
          member_role_id: wanted.memberRoleId,
          expires_at: wanted.expiresAt,
          created_at: timestamp(deps.clock),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordShare(deps, db, 'created', link);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw conflict('Shared group The group has already been shared with this group');
  }
}

/** Whether the group's tree is shared with no group outside of it. */
async function keptInside(deps: Deps, group: Namespace): Promise<boolean> {
  const root = await deps.db
    .selectFrom('namespaces')
    .select('settings')
    .where('id', '=', rootId(group))
    .executeTakeFirst();
  return root !== undefined && groupSettings(root).prevent_sharing_groups_outside_hierarchy;
}

/** Takes a share back. @throws ApiError 404 when there is none */
export async function unshareGroup(deps: Deps, group: Namespace, invitedId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const removed = await db
      .deleteFrom('group_links')
      .where('source_type', '=', 'group')
      .where('source_id', '=', group.id)
      .where('group_id', '=', invitedId)
      .returningAll()
      .executeTakeFirst();
    if (removed === undefined) throw notFound();
    await recordShare(deps, db, 'removed', removed);
  });
}

/** The shares of a project or group as its object names them: only groups that the caller may see. */
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
    .where(
      'id',
      'in',
      links.map(({ group_id }) => group_id),
    )
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
