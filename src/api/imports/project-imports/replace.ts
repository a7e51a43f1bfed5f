import { sql } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { ApiError } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { claimPath, deleteProject } from '../../spaces/index.ts';

/** The project of a path, which another shall take the place of. */
export const findReplaced = (db: Db, { id, full_path }: Namespace, path: string): Promise<Project | undefined> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', '=', id)
    .where(sql<string>`lower(full_path)`, '=', asciiLower(`${full_path}/${path}`))
    .where('pending_delete', '=', 0)
    .executeTakeFirst();

/**
 * Deletes the project that has the path, as its owners do, and gives the path to another. Done again it changes nothing.
 * @throws InvalidImportObject where whoever asked for it may not do it any more
 */
export async function replaceProject(
  deps: Deps,
  caller: UserCaller,
  { id }: Project,
  called: { name: string; path: string },
): Promise<void> {
  const found = await deps.db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('namespaces')
    .where('projects.id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return;
  const before = await findReplaced(deps.db, found, called.path);
  if (before?.id === id) return;
  try {
    if (before !== undefined) {
      const permissions = await projectPermissions(deps, caller, before, found);
      if (!permissions.can('remove_project'))
        throw new InvalidImportObject('the project of that path may not be deleted');
      await deleteProject(deps, { project: before, namespace: found, caller }, {});
    }
    await claimPath(deps, id, called, caller.user.id);
  } catch (error) {
    if (error instanceof ApiError) throw new InvalidImportObject(`the project of that path stays: ${error.message}`);
    throw error;
  }
}
