import type { Db } from '../../db/schema.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import { removeRepository } from '../../git/repository-files.ts';
import type { Location } from '../../git/storages.ts';

const REMOVE_REPOSITORY = 'repository.remove';

/** Removes a project at once: its rows now, its repository by background work. */
export async function destroyProject(deps: Deps, project: Project, actorId: number | null): Promise<void> {
  await deps.db.transaction().execute(async (db) => destroyProjectWithin(deps, db, project, actorId));
  deps.jobs.notify();
}

/**
 * Removes a project's rows with the handle of a transaction, and writes the job that removes its repository. Call
 * `deps.jobs.notify()` once the transaction has committed.
 */
export async function destroyProjectWithin(
  deps: Deps,
  db: Db,
  project: Project,
  actorId: number | null,
): Promise<void> {
  for (const table of ['members', 'group_links', 'access_requests', 'redirect_routes', 'custom_attributes'] as const) {
    await db.deleteFrom(table).where('source_type', '=', 'project').where('source_id', '=', project.id).execute();
  }
  await db
    .deleteFrom('deploy_tokens')
    .where('source_type', '=', 'project')
    .where('source_id', '=', project.id)
    .execute();
  await db
    .updateTable('access_tokens')
    .set({ revoked: 1 })
    .where('resource_type', '=', 'project')
    .where('resource_id', '=', project.id)
    .execute();
  await db.updateTable('projects').set({ forked_from_id: null }).where('forked_from_id', '=', project.id).execute();
  await db.deleteFrom('ref_intents').where('project_id', '=', project.id).execute();
  await db.deleteFrom('projects').where('id', '=', project.id).execute();
  await enqueueRemoval(deps, db, { storage: project.repository_storage, diskPath: project.disk_path });
  await deps.events.record(
    db,
    'project.destroyed',
    { project_id: project.id, full_path: project.full_path },
    { projectId: project.id, actorId },
  );
}

/** Writes the job that removes a repository's files, in the transaction after which nothing refers to them. */
export async function enqueueRemoval(deps: Deps, db: Db, location: Location): Promise<void> {
  await deps.jobs.enqueue(db, REMOVE_REPOSITORY, location);
}

/** Names the work behind `enqueueRemoval`. A write that is under way ends first. */
export function registerRemoval(deps: Deps): void {
  deps.jobs.register<Location>(REMOVE_REPOSITORY, async (location) => {
    const repo = deps.storages.open(location);
    await deps.writes.run(repo.id, async () => {
      deps.storages.forget(location);
      await removeRepository(repo.dir);
    });
  });
}
