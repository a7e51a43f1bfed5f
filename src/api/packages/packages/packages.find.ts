import { ApiError } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package, PackageStatus } from '../../../db/tables/packages.table.ts';

/** Statuses of packages that can be shown individually. */
export const DETAILED: readonly PackageStatus[] = ['default', 'deprecated'];

/** 404 with the platform's message for packages. */
export const packageNotFound = () => new ApiError(404, 'Package not found');

/**
 * Returns a package of a project that is not deleted.
 * @param statuses accepted statuses; any when absent
 * @throws ApiError 404
 */
export async function findPackage(
  db: Db,
  projectId: number,
  id: number,
  statuses: readonly PackageStatus[] = ['default', 'hidden', 'processing', 'error', 'deprecated'],
): Promise<Package> {
  return db
    .selectFrom('packages')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('status', 'in', statuses)
    .executeTakeFirstOrThrow(() => packageNotFound());
}
