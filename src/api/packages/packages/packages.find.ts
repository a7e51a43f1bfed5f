import { ApiError } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package, PackageStatus } from '../../../db/tables/packages.table.ts';

/** Statuses of packages that are shown with all that is known of them. */
export const DETAILED: readonly PackageStatus[] = ['default', 'deprecated'];

/** @returns 404 in the words that the platform has for packages */
export const packageNotFound = () => new ApiError(404, 'Package not found');

/**
 * A package of a project that is not deleted.
 * @param statuses those that it may have; any when absent
 * @throws ApiError 404
 */
export async function findPackage(
  db: Db,
  projectId: number,
  id: number,
  statuses: readonly PackageStatus[] = ['default', 'hidden', 'processing', 'error', 'deprecated'],
): Promise<Package> {
  const row = await db
    .selectFrom('packages')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('status', 'in', statuses)
    .executeTakeFirst();
  if (row === undefined) throw packageNotFound();
  return row;
}
