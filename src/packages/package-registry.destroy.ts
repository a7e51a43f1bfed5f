import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { revalidateProjectAbility } from '../access/caller-in-project.ts';
import { timestamp } from '../core/clock.ts';
import { ApiError, forbidden } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { PackageFile } from '../db/tables/package-files.table.ts';
import type { Package } from '../db/tables/packages.table.ts';
import type { Deps } from '../deps.ts';
import { enqueueRemovalOf } from './package-registry.removal.ts';
import { isProtectedFrom } from './protection.ts';

/** The caller and the project of a deletion. */
export interface Deletion {
  caller: Caller;
  projectId: number;
}

const deletionProtected = () => forbidden('Package is deletion protected.');
const gone = () => new ApiError(404, 'Package not found');

/**
 * Deletes package versions of a project: they become invisible immediately, and a background job removes rows and
 * content. Checks permissions and protections again; deletes all versions or none.
 * @param check checks each locked version in the transaction; may throw
 * @param refuse makes a registry-specific error for a protected package
 * @throws ApiError 401, 403; 404 for a missing version
 */
export function destroyPackages(
  deps: Deps,
  deletion: Deletion,
  packageIds: readonly number[],
  {
    check,
    refuse = deletionProtected,
  }: { check?: (now: Package, db: Db) => void | Promise<void>; refuse?: () => Error } = {},
): Promise<void> {
  return withinDeletion(deps, deletion, async (db, requireUnprotected) => {
    const rows = await db
      .updateTable('packages')
      // Locks the rows on either database.
      .set({ updated_at: sql<string>`updated_at` })
      .where('id', 'in', packageIds)
      .where('project_id', '=', deletion.projectId)
      .where('status', '<>', 'pending_destruction')
      .returningAll()
      .execute();
    if (rows.length < new Set(packageIds).size) throw gone();
    for (const row of rows) await check?.(row, db);
    await requireUnprotected(rows, refuse);
    await db.updateTable('packages').set({ status: 'pending_destruction' }).where('id', 'in', packageIds).execute();
    await db.deleteFrom('package_tags').where('package_id', 'in', packageIds).execute();
    await enqueueRemovalOf(deps, db, deletion.projectId);
    await recordDeletion(deps, db, deletion, rows);
  });
}

/** Notifies registries that cache lists of packages. */
async function recordDeletion(
  { events }: Deps,
  db: Db,
  { caller, projectId }: Deletion,
  rows: readonly Package[],
): Promise<void> {
  const payloads = rows.map(({ id, package_type, name, version }) => ({
    package_id: id,
    project_id: projectId,
    package_type,
    name,
    version,
  }));
  await events.recordAll(db, 'package.deleted', payloads, { projectId, actorId: caller.user?.id ?? null });
}

/**
 * Deletes package files of a project in the same way. The package is kept even without files.
 * @throws ApiError 401, 403; 404 for a missing file
 */
export function destroyFiles(
  deps: Deps,
  deletion: Deletion,
  fileIds: readonly number[],
  { check, refuse = deletionProtected }: { check?: (now: PackageFile) => void; refuse?: () => Error } = {},
): Promise<void> {
  return withinDeletion(deps, deletion, async (db, requireUnprotected) => {
    const now = timestamp(deps.clock);
    // Packages are locked first, as when publishing.
    const packages = await db
      .updateTable('packages')
      .set({ updated_at: now })
      .where('project_id', '=', deletion.projectId)
      .where('status', '<>', 'pending_destruction')
      .where('id', 'in', (eb) => eb.selectFrom('package_files').select('package_id').where('id', 'in', fileIds))
      .returningAll()
      .execute();
    const ids = packages.map(({ id }) => id);
    const files = await db
      .updateTable('package_files')
      .set({ status: 'pending_destruction' })
      .where('id', 'in', fileIds)
      .where('package_id', 'in', ids)
      .where('status', '=', 'default')
      .returningAll()
      .execute();
    if (files.length < new Set(fileIds).size) throw gone();
    for (const file of files) check?.(file);
    await requireUnprotected(packages, refuse);
    await enqueueRemovalOf(deps, db, deletion.projectId);
  });
}

type RequireUnprotected = (packages: readonly Package[], refuse: () => Error) => Promise<void>;

function withinDeletion(
  deps: Deps,
  { caller, projectId }: Deletion,
  work: (db: Db, requireUnprotected: RequireUnprotected) => Promise<void>,
): Promise<void> {
  return deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, caller, projectId, 'destroy_package');
    await work(db, async (packages, refuse) => {
      const looked = new Set<string>();
      for (const { package_type, name } of packages) {
        if (looked.has(`${package_type} ${name}`)) continue;
        looked.add(`${package_type} ${name}`);
        if (await isProtectedFrom({ ...deps, db }, scope, { type: package_type, name }, 'delete')) throw refuse();
      }
    });
  });
}
