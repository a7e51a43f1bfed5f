import { type Clock, timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { contains } from '../../../db/like.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';

/**
 * Stars a project for a user, or unstars it.
 * @returns the updated project; undefined if nothing changed
 */
export async function setStar(
  deps: Deps,
  project: Project,
  userId: number,
  starred: boolean,
): Promise<Project | undefined> {
  return deps.db.transaction().execute(async (db) => {
    const changed = starred
      ? await addStar(db, deps.clock, project.id, userId)
      : await removeStar(db, project.id, userId);
    if (!changed) return undefined;
    return db
      .updateTable('projects')
      .set((eb) => ({ star_count: eb('star_count', '+', starred ? 1 : -1) }))
      .where('id', '=', project.id)
      .returningAll()
      .executeTakeFirst();
  });
}

async function addStar(db: Db, clock: Clock, projectId: number, userId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('project_stars')
    .values({ project_id: projectId, user_id: userId, created_at: timestamp(clock) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

async function removeStar(db: Db, projectId: number, userId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_stars')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Query for the users who starred a project, latest first; users with a private profile only for administrators. */
export function starrersOf(deps: Deps, projectId: number, options: { search?: string; all: boolean }) {
  let query = deps.db
    .selectFrom('users')
    .innerJoin('project_stars', 'project_stars.user_id', 'users.id')
    .selectAll('users')
    .select('project_stars.created_at as starred_since')
    .where('project_stars.project_id', '=', projectId)
    .where('users.state', '=', 'active')
    .orderBy('project_stars.created_at', 'desc')
    .orderBy('users.id', 'desc');
  if (!options.all) query = query.where('users.private_profile', '=', 0);
  const { search } = options;
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('users.name'), search), contains(eb.ref('users.username'), search)]),
    );
  }
  return query;
}
