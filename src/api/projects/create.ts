import type { Insertable } from 'kysely';
import { AccessLevel, type Visibility } from '../../core/access-levels.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/schema.ts';
import type { Namespace } from '../../db/tables/namespaces.ts';
import type { Project, ProjectsTable } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import { createRepository, removeRepository } from '../../git/repository-files.ts';

export interface NewProject {
  namespace: Namespace;
  name: string;
  path: string;
  visibility: Visibility;
  creatorId: number;
  defaultBranch: string;
  /** Further columns: feature access levels, description, settings and the like. */
  columns?: Partial<Insertable<ProjectsTable>>;
  /** Makes the repository's files; an empty repository when absent (forks copy instead). */
  makeRepository?: (dir: string) => Promise<void>;
  /** Runs in the transaction that writes the row. */
  within?: (db: Db, project: Project) => Promise<void>;
}

/**
 * Creates a project with its repository. The repository is made first, under a path that nothing else has; only when
 * it is on disk the row is written, and it goes away again when that fails. So a project never lacks its repository.
 * @throws a unique violation when the path is taken
 */
export async function createProject(deps: Deps, given: NewProject): Promise<Project> {
  const { db, storages, clock } = deps;
  const location = { storage: storages.pick(Math.random()).name, diskPath: storages.newDiskPath() };
  const dir = storages.dirOf(location);
  const make = given.makeRepository ?? ((path) => createRepository(path, { defaultBranch: given.defaultBranch }));
  await make(dir);
  try {
    const project = await db.transaction().execute(async (db) => {
      const now = timestamp(clock);
      const inserted = await db
        .insertInto('projects')
        .values({
          namespace_id: given.namespace.id,
          name: given.name,
          path: given.path,
          full_path: `${given.namespace.full_path}/${given.path}`,
          visibility: given.visibility,
          repository_storage: location.storage,
          disk_path: location.diskPath,
          creator_id: given.creatorId,
          created_at: now,
          updated_at: now,
          last_activity_at: now,
          ...given.columns,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const project = { ...inserted, fork_root_id: inserted.fork_root_id ?? inserted.id };
      await db
        .updateTable('projects')
        .set({ fork_root_id: project.fork_root_id })
        .where('id', '=', project.id)
        .execute();
      await addNamespaceOwner(db, given.namespace, project, now);
      await given.within?.(db, project);
      return project;
    });
    deps.jobs.notify();
    return project;
  } catch (error) {
    storages.forget(location);
    await removeRepository(dir);
    throw error;
  }
}

/** The owner of a personal namespace is a member of the projects in it, so that lists of members show him. */
export async function addNamespaceOwner(
  db: Db,
  namespace: Pick<Namespace, 'owner_id'>,
  project: Pick<Project, 'id'>,
  now: string,
): Promise<void> {
  if (namespace.owner_id === null) return;
  await db
    .insertInto('members')
    .values({
      source_type: 'project',
      source_id: project.id,
      user_id: namespace.owner_id,
      access_level: AccessLevel.owner,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['source_type', 'source_id', 'user_id'])
        .doUpdateSet({ access_level: AccessLevel.owner, expires_at: null }),
    )
    .execute();
}
