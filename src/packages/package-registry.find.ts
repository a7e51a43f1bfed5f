import type { Db } from '../db/db.schema.ts';
import type { PackageFile } from '../db/tables/package-files.table.ts';
import type { Package, PackageStatus, PackageType } from '../db/tables/packages.table.ts';
import type { PackageCondition } from './package-registry.readable.ts';

/** Statuses of packages that tools install. */
export const INSTALLABLE = ['default', 'hidden', 'deprecated'] as const satisfies readonly PackageStatus[];

/** Versions of one name that are read at most, the newest of them. */
const MAX_VERSIONS = 10_000;

/** Where packages are looked for: in one project, or wherever a condition (`readablePackages`) lets. */
export type PackageSource = { projectId: number } | { readable: PackageCondition };

/** A package by what its registry holds to be its name. */
export interface PackageName {
  type: PackageType;
  nameKey: string;
}

/** One version of it, by what its registry holds to be the version. */
export interface PackageVersion extends PackageName {
  versionKey: string;
}

/** A query of the versions of a name that can be installed. */
export const installable = (db: Db, source: PackageSource, { type, nameKey }: PackageName) => {
  const query = db
    .selectFrom('packages')
    .where('packages.package_type', '=', type)
    .where('packages.name_key', '=', nameKey)
    .where('packages.status', 'in', INSTALLABLE);
  return 'projectId' in source
    ? query.where('packages.project_id', '=', source.projectId)
    : query.where(source.readable);
};

/** Versions of a name that can be installed, in the order in which they were made; of several projects, all of them. */
export async function versionsOf(db: Db, source: PackageSource, name: PackageName): Promise<Package[]> {
  const rows = await installable(db, source, name)
    .selectAll('packages')
    .orderBy('packages.id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
  return rows.reverse();
}

/** A version that can be installed; the newest where several projects have it. */
export function findVersion(
  db: Db,
  source: PackageSource,
  { versionKey, ...name }: PackageVersion,
): Promise<Package | undefined> {
  return installable(db, source, name)
    .selectAll('packages')
    .where('packages.version_key', '=', versionKey)
    .orderBy('packages.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * A file of a version that can be installed: the one that came last, where there are several of that name.
 * @param versionKey any version's when absent
 */
export function findFile(
  db: Db,
  source: PackageSource,
  { versionKey, fileName, ...name }: PackageName & { versionKey?: string; fileName: string },
): Promise<PackageFile | undefined> {
  let query = installable(db, source, name)
    .innerJoin('package_files', 'package_files.package_id', 'packages.id')
    .selectAll('package_files')
    .where('package_files.file_name', '=', fileName)
    .where('package_files.status', '=', 'default');
  if (versionKey !== undefined) query = query.where('packages.version_key', '=', versionKey);
  return query.orderBy('package_files.id', 'desc').limit(1).executeTakeFirst();
}

/** Packages whose files are read by one query. */
const BATCH_SIZE = 500;

/** Files of many packages at once, by the id of the package, in the order in which they came. */
export async function filesOf(db: Db, packageIds: readonly number[]): Promise<Map<number, PackageFile[]>> {
  const files = new Map<number, PackageFile[]>(packageIds.map((id) => [id, []]));
  for (let at = 0; at < packageIds.length; at += BATCH_SIZE) {
    const rows = await db
      .selectFrom('package_files')
      .selectAll()
      .where('package_id', 'in', packageIds.slice(at, at + BATCH_SIZE))
      .where('status', '=', 'default')
      .orderBy('id')
      .execute();
    for (const row of rows) files.get(row.package_id)!.push(row);
  }
  return files;
}
