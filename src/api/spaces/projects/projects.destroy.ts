import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { recordProjectRemovals } from '../../../audit/projects.audit.ts';
import { notFound } from '../../../core/core.errors.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import { pluck } from '../../../core/pluck.ts';
import { removeBelongings } from '../../../db/db.removal.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Location } from '../../../git/repository/index.ts';
import { locationOf } from '../../../repositories/holder.ts';
import { enqueueRemoval } from '../../../repositories/repository.removal.ts';
import { endAccountsOf } from '../service-accounts/service-accounts.removal.ts';
import { removeUploads } from '../uploads/uploads.removal.ts';

/** Number of projects deleted per query, so that other work of the process can run in between. */
const BATCH = 200;

/** Returns a project with its row locked until the transaction ends; undefined if it was deleted. */
export const lockProject = (db: Db, id: number): Promise<Project | undefined> =>
  // An update without changes locks the row on both engines.
  db
    .updateTable('projects')
    .set({ pending_delete: sql<0>`pending_delete` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/**
 * Deletes a project: its rows immediately, its repository in the background.
 * @param check receives the project once its row is locked; may throw
 * @throws ApiError 404 if it was deleted meanwhile
 */
export async function destroyProject(
  deps: Deps,
  { id }: Project,
  actorId: number | null,
  check?: (db: Db, now: Project) => Promise<void>,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const now = await lockProject(db, id);
    if (now === undefined) throw notFound('Project');
    await check?.(db, now);
    await destroyProjectsWithin(deps, db, [now], actorId);
  });
}

/**
 * Deletes the rows of projects with the handle of a transaction, and enqueues the jobs that delete their repositories.
 */
export async function destroyProjectsWithin(
  deps: Deps,
  db: Db,
  projects: readonly Project[],
  actorId: number | null,
): Promise<void> {
  for (let from = 0; from < projects.length; from += BATCH) {
    if (from > 0) await setImmediate();
    const batch = projects.slice(from, from + BATCH);
    const ids = batch.map(({ id }) => id);
    await deps.lifecycle.projectsRemoved.run(db, ids, actorId);
    await recordProjectRemovals(deps, db, batch, actorId);
    await removeUploads(deps, db, 'project', ids);
    // The repository may have moved since the row was read.
    for (const location of await removeRows(db, ids)) await enqueueRemoval(deps, db, location);
    for (const project of batch) {
      await deps.events.record(
        db,
        'project.destroyed',
        { project_id: project.id, full_path: project.full_path, project: projectFacts(project) },
        { projectId: project.id, actorId },
      );
    }
  }
}

/** @returns the locations of the repositories */
async function removeRows(db: Db, ids: readonly number[]): Promise<Location[]> {
  await removeBelongings(db, 'project', ids);
  await endAccountsOf(db, 'project', ids);
  await db.updateTable('projects').set({ forked_from_id: null }).where('forked_from_id', 'in', ids).execute();
  await db.deleteFrom('ref_intents').where('project_id', 'in', ids).execute();
  const keys = await db
    .selectFrom('deploy_key_projects')
    .innerJoin('deploy_keys', 'deploy_keys.id', 'deploy_key_projects.deploy_key_id')
    .select('deploy_keys.id')
    .distinct()
    .where('project_id', 'in', ids)
    .where('public', '=', 0)
    .execute();
  const deleted = await db
    .deleteFrom('projects')
    .where('id', 'in', ids)
    .returning(['repository_storage', 'disk_path'])
    .execute();
  await removeUnusedKeys(db, pluck(keys, 'id'));
  return deleted.map(locationOf);
}

/** Deletes private deploy keys with the last project that uses them, since no one could use them any more. */
async function removeUnusedKeys(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .deleteFrom('deploy_keys')
    .where('id', 'in', ids)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('deploy_key_projects').select('deploy_key_id').where('deploy_key_id', 'in', ids),
    )
    .execute();
}
