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

/** Query for the project of a path that is to be replaced. */
export const findReplaced = (db: Db, { id, full_path }: Namespace, path: string): Promise<Project | undefined> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', '=', id)
    .where(sql<string>`lower(full_path)`, '=', asciiLower(`${full_path}/${path}`))
    .where('pending_delete', '=', 0)
    .executeTakeFirst();

/**
 * Deletes the existing project of the path, as its owners do, and moves another project to the path. Idempotent.
 * @throws InvalidImportObject if the user who started the import has lost the right
 */
export async function replaceProject(
  deps: Deps,
  caller: UserCaller,
  { id }: Project,
  called: { name: string; path: string },
): Promise<void> {
  const existing = await deps.db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('namespaces')
    .where('projects.id', '=', id)
    .executeTakeFirst();
  if (existing === undefined) return;
  const before = await findReplaced(deps.db, existing, called.path);
  if (before?.id === id) return;
  try {
    if (before !== undefined) {
      const permissions = await projectPermissions(deps, caller, before, existing);
      if (!permissions.can('remove_project'))
        throw new InvalidImportObject('the existing project of that path must not be deleted');
      await deleteProject(deps, { project: before, namespace: existing, caller }, {});
    }
    await claimPath(deps, id, called, caller.user.id);
  } catch (error) {
    if (error instanceof ApiError)
      throw new InvalidImportObject(`the existing project of that path was not replaced: ${error.message}`);
    throw error;
  }
}
