import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { AFTER_LINEAGE } from '../access/access.membership.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import type { PackageFile } from '../db/tables/package-files.table.ts';
import type { Package, PackageStatus } from '../db/tables/packages.table.ts';
import type { PackageCondition } from './package-registry.readable.ts';

/** Statuses of packages that can be installed. */
export const INSTALLABLE = ['default', 'hidden', 'deprecated'] as const satisfies readonly PackageStatus[];

/** Maximum number of versions read for one name, newest first. */
const MAX_VERSIONS = 10_000;

/** Where packages are searched: in one project, or by a condition (`readablePackages`). */
export type PackageSource = { projectId: number } | { readable: PackageCondition };

/** A package by its normalized name. */
export interface PackageName {
  type: string;
  nameKey: string;
}

/** A package version by its normalized version. */
export interface PackageVersion extends PackageName {
  versionKey: string;
}

/** Query for the installable versions of a kind. @param from packages to search */
export function installableOf(
  from: SelectQueryBuilder<Schema, 'packages', object>,
  source: PackageSource,
  type: string,
) {
  const query = from.where('packages.package_type', '=', type).where('packages.status', 'in', INSTALLABLE);
  return 'projectId' in source
    ? query.where('packages.project_id', '=', source.projectId)
    : query.where(source.readable);
}

/** Query for the installable versions of a name. */
export const installable = (db: Db, source: PackageSource, { type, nameKey }: PackageName) =>
  installableOf(db.selectFrom('packages').where('packages.name_key', '=', nameKey), source, type);

/** Installable versions of a name, oldest first, from all projects of the source. */
export async function versionsOf(db: Db, source: PackageSource, name: PackageName): Promise<Package[]> {
  const rows = await installable(db, source, name)
    .selectAll('packages')
    .orderBy('packages.id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
  return rows.reverse();
}

/** An installable version; the newest if several projects have it. */
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

/** Query for the most recent file of a name in packages. */
export const newestFile = (from: SelectQueryBuilder<Schema, 'packages', object>, fileName: string) =>
  from
    .innerJoin('package_files', 'package_files.package_id', 'packages.id')
    .selectAll('package_files')
    .where('package_files.file_name', '=', fileName)
    .where('package_files.status', '=', 'default')
    .orderBy('package_files.id', 'desc')
    .limit(1);

/**
 * A file of an installable version: the most recent one of that name.
 * @param versionKey any version if absent
 */
export function findFile(
  db: Db,
  source: PackageSource,
  { versionKey, fileName, ...name }: PackageName & { versionKey?: string; fileName: string },
): Promise<PackageFile | undefined> {
  const query = installable(db, source, name);
  const from = versionKey === undefined ? query : query.where('packages.version_key', '=', versionKey);
  return newestFile(from, fileName).executeTakeFirst();
}

/** Packages per query. */
const BATCH_SIZE = 500;

/** Files of many packages by package id, oldest first. */
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

/** Query for packages of the same name in the projects below a top-level group. @param top id of its namespace */
export const othersBelow = (db: Db, { package_type, name_key }: Package, top: number) =>
  db
    .selectFrom('packages')
    .innerJoin('projects', 'projects.id', 'packages.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('packages.id')
    .where('packages.package_type', '=', package_type)
    .where('packages.name_key', '=', name_key)
    .where('packages.status', '<>', 'pending_destruction')
    .where('namespaces.lineage', '>=', `/${top}/`)
    .where('namespaces.lineage', '<', `/${top}/${AFTER_LINEAGE}`)
    .where(sql<SqlBool>`projects.pending_delete + 0 = 0`)
    .limit(1);
