import type { SelectQueryBuilder } from 'kysely';
import { groupsOf, lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { group as onGroup, recordAudit } from '../../../audit/record.audit.ts';
import { AccessLevel, visibilityLevel } from '../../../core/access-levels.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { refused } from '../../../core/core.errors.ts';
import { MAX_ANCESTORS } from '../../../core/core.paths.ts';
import { groupFacts } from '../../../core/event-facts.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { contains, startsWith } from '../../../db/like.ts';
import { isPathTaken, lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { dropForeignRoles } from '../member-roles/member-roles.moved.ts';
import { leaveForks } from '../projects/fork-relation.ts';
import { lockProject } from '../projects/projects.destroy.ts';
import { depthErrors, heightOf, namingErrors } from './groups.rules.ts';
import { limitVisibilityBelow, moveTree, projectsForkedOutside } from './groups.tree.ts';
import { mayCreateTopLevel } from './groups.writes.ts';

const failed = (why: string) => refused(`Transfer failed: ${why}`);

/**
 * Transfers a group with everything below it to another group, or to the top level. Visibility is reduced to that of
 * the new parent, and affected projects leave fork networks that extend beyond the group.
 * @throws ApiError 400 with the reason; 401, 403 and 404 if the right was lost meanwhile
 */
export async function transferGroup(
  deps: Deps,
  caller: UserCaller,
  unlockedGroup: Namespace,
  target: Namespace | null,
): Promise<Namespace> {
  return deps.db.transaction().execute(async (db) => {
    const [group, parent = null] = await lockTrees(db, target === null ? [unlockedGroup] : [unlockedGroup, target]);
    const { caller: now } = await revalidateGroupAbility(deps, db, caller, unlockedGroup.id, 'transfer_group');
    await checkPlace(db, group!, parent);
    if (!(await mayPlace(transactionDeps(deps, db), now, parent))) throw failed("You don't have enough permissions.");
    await checkContent(db, group!, parent);
    const result = await moveTree(db, group!, { path: group!.path, parent, updatedAt: timestamp(deps.clock) });
    if (parent !== null && visibilityLevel(parent.visibility) < visibilityLevel(group!.visibility)) {
      const closed = await limitVisibilityBelow(db, result.lineage, parent.visibility);
      result.visibility = parent.visibility;
      for (const id of await projectsForkedOutside(db, result.lineage, closed)) {
        const project = await lockProject(db, id);
        if (project !== undefined) await leaveForks(deps, db, project, caller.user.id);
      }
    }
    await dropForeignRoles(db, result, lineageIds(result.lineage)[0]!);
    const [from, to] = [group!.full_path, result.full_path];
    await recordAudit(deps, db, {
      name: 'group_namespace_updated',
      entity: onGroup(group!.id),
      message: `Changed namespace from ${from} to ${to}`,
      more: { change: 'namespace', from, to },
    });
    await deps.events.record(
      db,
      'group.transferred',
      { group_id: group!.id, old_full_path: group!.full_path, group: groupFacts(result) },
      { groupId: group!.id, actorId: caller.user.id },
    );
    return result;
  });
}

/** Whether the caller may create groups below this one; null for the top level. */
const mayPlace = async (deps: Deps, caller: UserCaller, parent: Namespace | null): Promise<boolean> =>
  parent === null
    ? mayCreateTopLevel(deps, caller)
    : (await groupPermissions(deps, caller, parent)).can('create_subgroup');

async function checkPlace(db: Db, group: Namespace, parent: Namespace | null): Promise<void> {
  if (group.in_deletion === 1) throw failed('Group is marked for deletion.');
  if (parent?.in_deletion === 1) throw failed('The parent group is marked for deletion.');
  if (parent === null && group.parent_id === null) throw failed('Group is already a root group.');
  if (parent !== null && parent.id === group.parent_id) {
    throw failed('Group is already associated to the parent group.');
  }
  if (parent?.lineage.startsWith(group.lineage)) throw failed('Cannot transfer group to one of its subgroup.');
  const fullPath = parent === null ? group.path : `${parent.full_path}/${group.path}`;
  if (await isPathTaken(db, fullPath, { namespaceId: group.id })) {
    throw failed('The parent group already has a subgroup or a project with the same path.');
  }
}

async function checkContent(db: Db, group: Namespace, parent: Namespace | null): Promise<void> {
  const [problem] = namingErrors({ path: group.path }, parent === null).path ?? [];
  if (problem !== undefined) throw failed(`Path ${problem}`);
  if (parent === null) return;
  const depth = parent.lineage.split('/').length - 2 + (await heightOf(db, group));
  if (depthErrors(parent).length > 0 || depth > MAX_ANCESTORS) throw failed('Parent has too deep level of nesting');
}

/**
 * Query for the groups that a group can be transferred to: not itself or a descendant, and with the right to create
 * subgroups.
 */
export function transferLocations(
  deps: Deps,
  caller: UserCaller,
  group: Namespace,
  search: string,
): SelectQueryBuilder<Schema, 'namespaces', Namespace> {
  let query = deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('kind', '=', 'group')
    .where('archived', '=', 0)
    .where('in_deletion', '=', 0)
    .where((eb) => eb.not(startsWith(eb, eb.ref('lineage'), group.lineage)))
    .orderBy('name')
    .orderBy('id');
  if (group.parent_id !== null) query = query.where('id', '!=', group.parent_id);
  if (!caller.admin) {
    const of = (level: number) => groupsOf(caller.user.id, level, today(deps.clock));
    query = query.where((eb) =>
      eb.or([
        eb('id', 'in', of(AccessLevel.owner)),
        eb.and([
          eb('id', 'in', of(AccessLevel.maintainer)),
          eb.not(contains(eb.ref('settings'), '"subgroup_creation_level":"owner"')),
        ]),
      ]),
    );
  }
  if (search !== '') {
    query = query.where((eb) => eb.or([contains(eb.ref('name'), search), contains(eb.ref('full_path'), search)]));
  }
  return query;
}
