import { sql } from 'kysely';
import type { Db } from '../../../db/db.schema.ts';
import { contains, startsWith } from '../../../db/like.ts';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import { findVersion, INSTALLABLE, type PackageSource } from '../../../packages/package-registry.find.ts';
import { packagesNamed } from '../../../packages/package-registry.names.ts';
import { DEFAULT_REVISION, INFO, keyPrefix, MANIFEST, type RevisionKey, storedKey } from './conan.names.ts';

/** A complete revision. */
export interface Revision {
  revision: string;
  /** When its last file was uploaded. */
  time: string;
}

const MAX_REVISIONS = 1_000;
const MAX_RESULTS = 500;

/** Query for the package of a recipe; undefined if there is none. */
export const findRecipe = (db: Db, projectId: number, recipe: string): Promise<Package | undefined> =>
  findVersion(db, { projectId }, { type: 'conan', nameKey: recipe, versionKey: '' });

const filesWith = (db: Db, packageId: number) =>
  db.selectFrom('package_files').selectAll().where('package_id', '=', packageId).where('status', '=', 'default');

/** Query for the files of a revision; the latest of each name. */
export const filesOfRevision = (db: Db, packageId: number, key: RevisionKey): Promise<PackageFile[]> =>
  filesWith(db, packageId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('package_files')
        .select(eb.fn.max('id').as('id'))
        .where('package_id', '=', packageId)
        .where('status', '=', 'default')
        .where('metadata', '=', storedKey(key))
        .groupBy('file_name'),
    )
    .orderBy('file_name')
    .execute();

/** Query for a file of a revision; the latest of that name. */
export const fileOfRevision = (
  db: Db,
  packageId: number,
  key: RevisionKey,
  fileName: string,
): Promise<PackageFile | undefined> =>
  filesWith(db, packageId)
    .where('file_name', '=', fileName)
    .where('metadata', '=', storedKey(key))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Files of version 1 of the protocol have no revision. */
const isOfRecipe = sql<boolean>`metadata not like '%"reference":%' and metadata <> ${storedKey({ recipe: DEFAULT_REVISION })}`;

/** Returns the complete revisions of a recipe or package, newest first. */
export async function revisionsOf(db: Db, packageId: number, key: RevisionKey | null): Promise<Revision[]> {
  let query = filesWith(db, packageId).where('file_name', '=', MANIFEST);
  query =
    key === null ? query.where(isOfRecipe) : query.where((eb) => startsWith(eb, eb.ref('metadata'), keyPrefix(key)));
  const rows = await query.orderBy('id', 'desc').limit(MAX_REVISIONS).execute();
  return rows.map(({ metadata, created_at }) => {
    const stored = JSON.parse(metadata as string) as RevisionKey;
    return { revision: key === null ? stored.recipe : stored.package!, time: created_at };
  });
}

/** Returns the latest info file of each package of a recipe revision, by package. */
export async function infosOf(db: Db, packageId: number, key: RevisionKey): Promise<Map<string, PackageFile>> {
  const rows = await filesWith(db, packageId)
    .where('file_name', '=', INFO)
    .where((eb) => startsWith(eb, eb.ref('metadata'), keyPrefix(key)))
    .orderBy('id', 'desc')
    .limit(MAX_REVISIONS)
    .execute();
  const infos = new Map<string, PackageFile>();
  for (const row of rows) {
    const { reference } = JSON.parse(row.metadata as string) as RevisionKey;
    if (!infos.has(reference!)) infos.set(reference!, row);
  }
  return infos;
}

/** Query for all files of a recipe revision including its packages, or of a package revision. */
export function filesBelow(db: Db, packageId: number, key: RevisionKey, limit: number): Promise<{ id: number }[]> {
  const query = filesWith(db, packageId);
  const below =
    key.package === undefined
      ? query.where((eb) => startsWith(eb, eb.ref('metadata'), `{"recipe":"${key.recipe}"`))
      : query.where('metadata', '=', storedKey(key));
  return below.limit(limit).execute();
}

/** Whether a package has files of other recipe revisions. */
export async function hasOtherRevisions(db: Db, packageId: number, key: RevisionKey): Promise<boolean> {
  const other = await filesWith(db, packageId)
    .where(sql<boolean>`metadata not like ${`{"recipe":"${key.recipe}"%`}`)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Query for recipes whose names contain all parts, with the full paths of their projects. */
export function searchRecipes(
  db: Db,
  source: PackageSource,
  parts: readonly string[],
): Promise<{ name: string; full_path: string }[]> {
  const [longest = '', ...others] = parts.toSorted((a, b) => b.length - a.length);
  const scope = { types: ['conan'], ...('projectId' in source ? { projectIds: [source.projectId] } : {}) };
  let query = packagesNamed(db, longest, scope)
    .innerJoin('projects', 'projects.id', 'packages.project_id')
    .select(['packages.name', 'projects.full_path'])
    .where('packages.package_type', '=', 'conan')
    .where('packages.status', 'in', INSTALLABLE);
  query =
    'projectId' in source ? query.where('packages.project_id', '=', source.projectId) : query.where(source.readable);
  for (const part of others) query = query.where((eb) => contains(eb.ref('packages.name'), part));
  return query.orderBy('packages.name').limit(MAX_RESULTS).execute();
}
