import { lineageIds } from '../../../access/membership.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { conflict, invalidModel, notFound, refused } from '../../../core/errors.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { GroupLink } from '../../../db/tables/group-links.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { groupSettings } from '../groups/settings.ts';
import { requireLevel } from '../members/rules.ts';

export interface NewShare {
  groupAccess: number;
  expiresAt: string | null;
}

/**
 * Lets the members of a group into a project.
 * @param level the caller's own: nobody gives more
 * @throws ApiError 400 for a day in the past or where the group above forbids it, 403, 404, 409 when it is so already
 */
export async function shareProject(
  deps: Deps,
  { project, namespace, level }: { project: Project; namespace: Namespace; level: number },
  invited: Namespace,
  { groupAccess, expiresAt }: NewShare,
): Promise<GroupLink> {
  if (namespace.kind === 'group') {
    if (groupSettings(namespace).share_with_group_lock) throw refused('The project sharing with group is disabled');
    await requireInside(deps, namespace, invited);
    if (lineageIds(namespace.lineage).includes(invited.id)) {
      throw conflict('Project cannot be shared with the group it is in or one of its ancestors.');
    }
  }
  requireLevel(level, groupAccess);
  if (expiresAt !== null && expiresAt < today(deps.clock)) {
    throw invalidModel({ expires_at: ['cannot be a date in the past'] });
  }
  try {
    return await deps.db
      .insertInto('group_links')
      .values({
        source_type: 'project',
        source_id: project.id,
        group_id: invited.id,
        group_access: groupAccess,
        expires_at: expiresAt,
        created_at: timestamp(deps.clock),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
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

/** Takes a share back. @param level the caller's own: nobody takes from above him @throws ApiError 403 or 404 */
export async function unshareProject(deps: Deps, project: Project, groupId: number, level: number): Promise<void> {
  const link = await deps.db
    .selectFrom('group_links')
    .selectAll()
    .where('source_type', '=', 'project')
    .where('source_id', '=', project.id)
    .where('group_id', '=', groupId)
    .executeTakeFirst();
  if (link === undefined) throw notFound('Group Link');
  requireLevel(level, link.group_access);
  await deps.db.deleteFrom('group_links').where('id', '=', link.id).execute();
}
