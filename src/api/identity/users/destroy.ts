import { sql } from 'kysely';
import { AccessLevel } from '../../../core/access-levels.ts';
import { conflict, forbidden } from '../../../core/errors.ts';
import type { Db } from '../../../db/schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { User } from '../../../db/tables/users.ts';
import { withdrawVotes } from '../../../db/votes.ts';
import type { Deps } from '../../../deps.ts';
import { destroySnippetsOfUser } from '../../code/snippets/destroy.ts';
import { destroyGroup } from '../../spaces/groups/destroy.ts';
import { destroyProjectsWithin } from '../../spaces/projects/destroy.ts';
import { handToGhost } from './ghost.ts';
import { isLastAdministrator } from './state.ts';

/** Groups at the top of a tree that have no other owner. */
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
            // Owners of a group above own this one too.
            .where(sql<boolean>`n.lineage like '%/' || o.source_id || '/%'`),
        ),
      ),
    )
    .orderBy('n.id')
    .execute();
}

/**
 * Deletes a user with the personal projects and snippets. What he wrote elsewhere stays, in the name of the ghost user.
 * @param hard also deletes what he wrote, and the groups that have no other owner
 * @throws ApiError 403 for internal users, 409 for the only owner of a group (unless `hard`) and the last administrator
 */
export async function destroyUser(deps: Deps, actor: User, user: User, hard: boolean): Promise<void> {
  if (user.kind === 'ghost') throw forbidden('An internal user cannot be deleted');
  if (await isLastAdministrator(deps.db, user)) throw conflict('The last administrator cannot be deleted');
  const groups = await soleGroups(deps.db, user);
  if (groups.length > 0 && !hard) throw conflict('User cannot be removed while is the sole-owner of a group');
  for (const group of groups) {
    const still = await deps.db.selectFrom('namespaces').select('id').where('id', '=', group.id).executeTakeFirst();
    if (still !== undefined) await destroyGroup(deps, group, actor.id);
  }
  await deps.db.transaction().execute(async (db) => {
    await destroyPersonalNamespace(deps, db, user, actor.id);
    await destroySnippetsOfUser(deps, db, user.id, hard, actor.id);
    if (hard) await db.deleteFrom('notes').where('author_id', '=', user.id).execute();
    await handToGhost(db, deps.clock, user.id);
    await removeBelongings(db, user.id);
    await db.deleteFrom('users').where('id', '=', user.id).execute();
    const { id, username, email, name } = user;
    await deps.events.record(db, 'user.destroyed', { user_id: id, username, email, name }, { actorId: actor.id });
  });
}

async function destroyPersonalNamespace(deps: Deps, db: Db, user: User, actorId: number): Promise<void> {
  const namespace = await db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).executeTakeFirst();
  if (namespace === undefined) return;
  const projects = await db.selectFrom('projects').selectAll().where('namespace_id', '=', namespace.id).execute();
  await destroyProjectsWithin(deps, db, projects, actorId);
  await db.deleteFrom('namespaces').where('id', '=', namespace.id).execute();
}

/** What refers to the user without a foreign key; everything else goes with the row. */
async function removeBelongings(db: Db, userId: number): Promise<void> {
  await withdrawVotes(db, userId);
  await db.deleteFrom('custom_attributes').where('source_type', '=', 'user').where('source_id', '=', userId).execute();
  await db.deleteFrom('protected_ref_levels').where('user_id', '=', userId).execute();
  await db
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
    .where('id', 'in', db.selectFrom('project_stars').select('project_id').where('user_id', '=', userId))
    .execute();
}
