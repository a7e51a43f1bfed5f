import type { UserCaller } from '../../../access/caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { recordShare } from '../../../audit/shares.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, notFound, refused } from '../../../core/errors.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { GroupLink } from '../../../db/tables/group-links.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { groupSettings } from '../groups/settings.ts';
import { givenBy } from '../member-roles/give.ts';
import { requireCover, validateShare, type Wanted } from '../members/rules.ts';
import { projectSource, requireStillInSource, SHARE } from '../source.ts';

/**
 * Lets the members of a group into a project.
 * @throws ApiError 400 for a day in the past or where the group above forbids it, 403, 404, 409 when it is so already
 */
export async function shareProject(
  deps: Deps,
  caller: UserCaller,
  { project, namespace }: { project: Project; namespace: Namespace },
  invited: Namespace,
  wanted: Wanted,
): Promise<GroupLink> {
  if (namespace.kind === 'group') {
    if (groupSettings(namespace).share_with_group_lock) throw refused('The project sharing with group is disabled');
    await requireInside(deps, namespace, invited);
    if (lineageIds(namespace.lineage).includes(invited.id)) {
      throw conflict('Project cannot be shared with the group it is in or one of its ancestors.');
    }
  }
  const source = projectSource(project, namespace);
  try {
    return await deps.db.transaction().execute(async (db) => {
      const own = await requireStillInSource(deps, db, caller, source, SHARE);
      requireCover(own, source, await validateShare(deps, db, source, wanted));
      const link = await db
        .insertInto('group_links')
        .values({
          source_type: 'project',
          source_id: project.id,
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
  } catch (error) {
    throw isUniqueViolation(error) ? conflict('Group already shared with this group') : error;
  }
}

/** Some trees of groups share with no group outside of them. @throws ApiError 404 */
async function requireInside(deps: Deps, namespace: Namespace, invited: Namespace): Promise<void> {
  const rootId = lineageIds(namespace.lineage)[0]!;
  if (lineageIds(invited.lineage)[0] === rootId) return;
  const root = await deps.db.selectFrom('namespaces').select('settings').where('id', '=', rootId).executeTakeFirst();
  if (root !== undefined && groupSettings(root).prevent_sharing_groups_outside_hierarchy) throw notFound();
}

/** Takes a share back; nobody takes one that gives more than he has. @throws ApiError 403 or 404 */
export async function unshareProject(
  deps: Deps,
  caller: UserCaller,
  { project, namespace }: { project: Project; namespace: Namespace },
  groupId: number,
): Promise<void> {
  const source = projectSource(project, namespace);
  await deps.db.transaction().execute(async (db) => {
    const own = await requireStillInSource(deps, db, caller, source, SHARE);
    const link = await db
      .selectFrom('group_links')
      .selectAll()
      .where('source_type', '=', 'project')
      .where('source_id', '=', project.id)
      .where('group_id', '=', groupId)
      .executeTakeFirst();
    if (link === undefined) throw notFound('Group Link');
    const { group_access: access_level, member_role_id } = link;
    requireCover(own, source, await givenBy(db, { access_level, member_role_id }));
    await recordShare(deps, db, 'removed', link);
    await db.deleteFrom('group_links').where('id', '=', link.id).execute();
  });
}
