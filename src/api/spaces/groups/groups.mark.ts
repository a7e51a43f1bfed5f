import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { group as onGroup, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { forbidden, refused } from '../../../core/core.errors.ts';
import { randomText } from '../../../core/core.secrets.ts';
import { withDeletionSuffix, withoutDeletionSuffix } from '../../../core/deletion-suffix.ts';
import { groupFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { propagateDeletion } from '../../../db/deletion.ts';
import { isPathTaken, lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { deletionDelay } from '../../../settings/deletion-delay.ts';
import { destroyGroup } from './groups.destroy.ts';
import { moveTree } from './groups.tree.ts';

/**
 * Deletes a group and everything below it: immediately without delayed deletion, else it is marked and deleted after
 * the delay.
 * @param options `permanently`: delete a marked group immediately, named by `fullPath`
 * @throws ApiError 400 if it is already marked; with `permanently` if it is not marked, or `fullPath` differs
 */
export async function deleteGroup(
  deps: Deps,
  caller: UserCaller,
  group: Namespace,
  options: { permanently?: boolean | undefined; fullPath?: string | undefined },
): Promise<void> {
  const settings = await applicationSettings(deps);
  const { allow_immediate_namespaces_deletion: immediate } = settings;
  const delayed = deletionDelay(settings, 'group') > 0;
  if (delayed && options.permanently !== true) return markGroup(deps, caller, group);
  if (delayed && !immediate && !caller.admin) {
    throw forbidden('Groups marked for deletion cannot be deleted immediately.');
  }
  await destroyGroup(deps, group, caller.user.id, async (db, now) => {
    await revalidateGroupAbility(deps, db, caller, now.id, 'remove_group');
    if (!delayed) return;
    if (now.in_deletion === 0) throw refused('Group must be marked for deletion first.');
    if (options.fullPath !== now.full_path) {
      throw refused('`full_path` is incorrect. You must enter the complete path for the group.');
    }
  });
}

async function markGroup(deps: Deps, caller: UserCaller, unlockedGroup: Namespace): Promise<void> {
  await changeMark(deps, caller, unlockedGroup, async (_db, group) => {
    if (group.marked_for_deletion_on !== null) throw refused('Group has been already marked for deletion');
    return {
      name: withDeletionSuffix(group.name, group.id),
      path: withDeletionSuffix(group.path, group.id),
      marked_for_deletion_on: today(deps.clock),
      marked_by_id: caller.user.id,
    };
  });
}

/**
 * Restores a marked group with its name and path, with a suffix if the path is taken. Marked descendants, and
 * everything below a marked ancestor, stay pending deletion.
 * @throws ApiError 400 if it is not marked, 409 if it was deleted or moved meanwhile
 */
export async function restoreGroup(deps: Deps, caller: UserCaller, unlockedGroup: Namespace): Promise<Namespace> {
  return changeMark(deps, caller, unlockedGroup, async (db, group, parentPath) => {
    if (group.marked_for_deletion_on === null) throw refused('Group has not been marked for deletion');
    const [name, path] = [withoutDeletionSuffix(group.name, group.id), withoutDeletionSuffix(group.path, group.id)];
    const taken = await isPathTaken(db, parentPath + path, { namespaceId: group.id });
    const more = taken ? `-${randomText(5).toLowerCase()}` : '';
    return { name: name + more, path: path + more, marked_for_deletion_on: null, marked_by_id: null };
  });
}

type Marked = Pick<Namespace, 'name' | 'path' | 'marked_for_deletion_on' | 'marked_by_id'>;

/** @param decide receives the path of the parent group with a trailing slash; empty for a top-level group */
async function changeMark(
  deps: Deps,
  caller: UserCaller,
  unlockedGroup: Namespace,
  decide: (db: Db, group: Namespace, parentPath: string) => Promise<Marked>,
): Promise<Namespace> {
  return deps.db.transaction().execute(async (db) => {
    const group = (await lockTrees(db, [unlockedGroup]))[0]!;
    await revalidateGroupAbility(deps, db, caller, group.id, 'remove_group');
    const parent =
      group.parent_id === null
        ? null
        : await db.selectFrom('namespaces').selectAll().where('id', '=', group.parent_id).executeTakeFirstOrThrow();
    const { path, ...columns } = await decide(db, group, parent === null ? '' : `${parent.full_path}/`);
    const now = timestamp(deps.clock);
    const about = { groupId: group.id, actorId: caller.user.id };
    if (path !== group.path) {
      const moved = await moveTree(db, group, { path, parent, updatedAt: now });
      const renamed = { group_id: group.id, old_full_path: group.full_path, group: groupFacts(moved) };
      await deps.events.record(db, 'group.renamed', renamed, about);
    }
    await db
      .updateTable('namespaces')
      .set({ ...columns, updated_at: now })
      .where('id', '=', group.id)
      .execute();
    await propagateDeletion(db, group.lineage);
    const row = await db.selectFrom('namespaces').selectAll().where('id', '=', group.id).executeTakeFirstOrThrow();
    const event =
      row.marked_for_deletion_on === null
        ? ({ name: 'group_restored', message: 'Group restored' } as const)
        : ({ name: 'group_deletion_marked', message: 'Group marked for deletion' } as const);
    await recordAudit(deps, db, { ...event, entity: onGroup(group.id) });
    await deps.events.record(db, 'group.updated', { group_id: group.id, group: groupFacts(row) }, about);
    return row;
  });
}
