import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { installable, installableOf, newestFile, type PackageSource } from '../../../packages/package-registry.find.ts';
import type { FileMetadata } from './distribution.ts';
import type { IndexedName, LinkedFile } from './pypi.simple.ts';

/** Maximum number of names in an index, and of files on a page. */
const MAX_NAMES = 100_000;
const MAX_FILES = 50_000;

/** Query for the files of all installable Python packages. */
export const distributions = (db: Db, source: PackageSource) =>
  installableOf(db.selectFrom('packages'), source, 'pypi');

/** Query for the files of one name. */
export const distributionsOf = (db: Db, source: PackageSource, nameKey: string) =>
  installable(db, source, { type: 'pypi', nameKey });

/** Returns all names, each as first spelled. */
export async function namesIn(db: Db, source: PackageSource): Promise<IndexedName[]> {
  const rows = await db
    .selectFrom('packages')
    .select(['name', 'name_key'])
    .where('id', 'in', () =>
      distributions(db, source)
        .select((eb) => eb.fn.min<number>('packages.id').as('id'))
        .groupBy('packages.name_key'),
    )
    .orderBy('name_key')
    .limit(MAX_NAMES)
    .execute();
  return rows.map(({ name, name_key: nameKey }) => ({ name, nameKey }));
}

/** Content of the page of a name. */
export interface NameContent {
  name: string;
  files: LinkedFile[];
  versions: string[];
}

/**
 * Returns the files of a name; of files with the same name the latest, in any project.
 * @param base URL of the files
 * @returns undefined if the name has no version
 */
export async function contentOf(
  db: Db,
  source: PackageSource,
  nameKey: string,
  base: string,
): Promise<NameContent | undefined> {
  const rows = await distributionsOf(db, source, nameKey)
    .leftJoin('package_files', (join) =>
      join.onRef('package_files.package_id', '=', 'packages.id').on('package_files.status', '=', 'default'),
    )
    .select([
      'packages.id as package_id',
      'packages.name',
      'packages.version',
      'packages.version_key',
      'package_files.file_name',
      'package_files.sha256',
      'package_files.size',
      'package_files.created_at',
      'package_files.metadata',
    ])
    .orderBy('packages.id', 'desc')
    .orderBy('package_files.id', 'desc')
    .limit(MAX_FILES)
    .execute();
  if (rows.length === 0) return undefined;
  rows.reverse();
  const files = new Map<string, LinkedFile>();
  const versions = new Map<string, string>();
  const required = new Map<number, string>();
  const read = rows.flatMap((row) => {
    const { file_name: fileName, sha256, size, created_at: uploadedAt, version_key, package_id } = row;
    versions.set(version_key, row.version ?? version_key);
    if (fileName === null || sha256 === null || size === null || uploadedAt === null) return [];
    const facts = parseJson<Partial<FileMetadata>>(row.metadata ?? '{}');
    const { requires_python: requiresPython = '', metadata_sha256: metadataSha256 } = facts;
    if (requiresPython !== '') required.set(package_id, requiresPython);
    const url = `${base}/${sha256}/${encodeURIComponent(fileName)}`;
    const version = row.version ?? version_key;
    return [{ fileName, url, sha256, size, requiresPython, metadataSha256, version, uploadedAt, package_id }];
  });
  for (const { package_id, ...file } of read) {
    // A file without a requirement gets that of its version.
    const requiresPython = file.requiresPython || (required.get(package_id) ?? '');
    files.delete(file.fileName);
    files.set(file.fileName, { ...file, requiresPython });
  }
  return { name: rows[0]!.name, files: [...files.values()], versions: [...versions.values()] };
}

/** Query for a file by digest and name. */
export const distributionFile = (db: Db, source: PackageSource, sha256: string, fileName: string) =>
  newestFile(distributions(db, source), fileName).where('package_files.sha256', '=', sha256).executeTakeFirst();
