import { recordAudit } from '../../../audit/record.audit.ts';
import { groupFacts } from '../../../core/event-facts.ts';
import { removeBelongings } from '../../../db/db.removal.ts';
import type { Db } from '../../../db/db.schema.ts';
import { startsWith } from '../../../db/like.ts';
import { lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { destroyProjectsWithin } from '../projects/projects.destroy.ts';
import { endAccountsOf } from '../service-accounts/service-accounts.removal.ts';
import { removeUploads } from '../uploads/uploads.removal.ts';

/**
 * Deletes a group with its subgroups and projects: all rows immediately, the repositories in the background.
 * @param check receives the group once its hierarchy is locked; may throw
 * @throws ApiError 409 if it was deleted or moved meanwhile
 */
export async function destroyGroup(
  deps: Deps,
  unlockedGroup: Namespace,
  actorId: number | null,
  check?: (db: Db, now: Namespace) => Promise<void>,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const group = (await lockTrees(db, [unlockedGroup]))[0]!;
    await check?.(db, group);
    const groups = await db
      .selectFrom('namespaces')
      .selectAll()
      .where((eb) => startsWith(eb, eb.ref('lineage'), group.lineage))
      .orderBy('lineage', 'desc')
      .execute();
    await destroyProjects(deps, db, group, actorId);
    await deps.lifecycle.groupsRemoved.run(db, idsWithin(db, group), actorId);
    await removeUploads(deps, db, 'group', idsWithin(db, group));
    await removeBelongings(db, 'group', idsWithin(db, group));
    await endAccountsOf(db, 'group', idsWithin(db, group));
    await recordAudit(
      deps,
      db,
      groups.map(({ id, full_path }) => ({
        name: 'group_destroyed',
        entity: { type: 'Group', id, path: full_path },
        message: 'Group destroyed',
        more: { remove: 'group' },
        actorId,
      })),
    );
    for (const each of groups) {
      const { id, full_path } = each;
      const payload = { group_id: id, full_path, group: groupFacts(each) };
      await deps.events.record(db, 'group.destroyed', payload, { groupId: id, actorId });
    }
    await db.deleteFrom('namespaces').where('id', '=', group.id).execute();
  });
}

const idsWithin = (db: Db, group: Namespace) =>
  db
    .selectFrom('namespaces')
    .select('id')
    .where((eb) => startsWith(eb, eb.ref('lineage'), group.lineage));

async function destroyProjects(deps: Deps, db: Db, group: Namespace, actorId: number | null): Promise<void> {
  const projects = await db
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', 'in', idsWithin(db, group))
    .execute();
  await destroyProjectsWithin(deps, db, projects, actorId);
}
