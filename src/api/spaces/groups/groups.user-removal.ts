import { sql } from 'kysely';
import { lineageIds } from '../../../access/access.membership.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { conflict } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { lockOwners } from '../members/members.writes.ts';
import { destroyProjectsWithin } from '../projects/projects.destroy.ts';
import { destroyGroup } from './groups.destroy.ts';

/** Returns top-level groups without another owner. */
function soleGroups(db: Db, user: User): Promise<Namespace[]> {
  return db
    .selectFrom('namespaces as n')
    .innerJoin('members as m', 'm.source_id', 'n.id')
    .selectAll('n')
    .where('m.source_type', '=', 'group')
    .where('m.user_id', '=', user.id)
    .where('m.access_level', '=', AccessLevel.owner)
    .where('n.kind', '=', 'group')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('members as o')
            .innerJoin('users as u', 'u.id', 'o.user_id')
            .select('o.id')
            .where('o.source_type', '=', 'group')
            .where('o.access_level', '=', AccessLevel.owner)
            .where('o.user_id', '!=', user.id)
            .where('o.state', '=', 'active')
            .where('u.kind', '=', 'human')
            // Owners of an ancestor group own it as well.
            .where(sql<boolean>`n.lineage like '%/' || o.source_id || '/%'`),
        ),
      ),
    )
    .orderBy('n.id')
    .execute();
}

const soleOwner = () => conflict('User cannot be removed while is the sole-owner of a group');

/** Locks the owners of all hierarchies in which the user owns a group. */
async function lockOwnedTrees(db: Db, user: User): Promise<void> {
  const owned = await db
    .selectFrom('namespaces as n')
    .innerJoin('members as m', 'm.source_id', 'n.id')
    .select('n.lineage')
    .where('m.source_type', '=', 'group')
    .where('m.user_id', '=', user.id)
    .where('m.access_level', '=', AccessLevel.owner)
    .execute();
  const roots = new Set(owned.map(({ lineage }) => lineageIds(lineage)[0]!));
  await lockOwners(db, [...roots]);
}

/** Deletes the personal projects of a deleted user, and groups that no one else owns. */
export function registerGroupUserRemoval(deps: Deps): void {
  deps.lifecycle.userRemovalAsked.add(async (user, { hard, actorId }) => {
    const groups = await soleGroups(deps.db, user);
    if (groups.length > 0 && !hard) throw soleOwner();
    for (const group of groups) {
      const revalidate = await deps.db
        .selectFrom('namespaces')
        .select('id')
        .where('id', '=', group.id)
        .executeTakeFirst();
      if (revalidate !== undefined) await destroyGroup(deps, group, actorId);
    }
  });
  deps.lifecycle.userRemoved.add(async (db, user, { actorId }) => {
    await lockOwnedTrees(db, user);
    // Other owners may have left meanwhile.
    if ((await soleGroups(db, user)).length > 0) throw soleOwner();
    await destroyPersonalNamespace(deps, db, user, actorId);
    await takeStarsBack(db, user.id);
  });
}

async function destroyPersonalNamespace(deps: Deps, db: Db, user: User, actorId: number): Promise<void> {
  const namespace = await db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).executeTakeFirst();
  if (namespace === undefined) return;
  const projects = await db.selectFrom('projects').selectAll().where('namespace_id', '=', namespace.id).execute();
  await destroyProjectsWithin(deps, db, projects, actorId);
  await db.deleteFrom('namespaces').where('id', '=', namespace.id).execute();
}

/** Removes the stars of a user before the user is deleted. */
async function takeStarsBack(db: Db, userId: number): Promise<void> {
  await db
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
    .where('id', 'in', db.selectFrom('project_stars').select('project_id').where('user_id', '=', userId))
    .execute();
}
