import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/schema.ts';
import type { Package } from '../../../db/tables/packages.ts';
import { INSTALLABLE, installable, type PackageSource } from '../../../packages/find.ts';
import type { PackageCondition } from '../../../packages/readable.ts';
import type { ComposerFacts } from './register.ts';

/** Versions that are read at most, the newest of them: of a name, and of all names for clients of the first protocol. */
export const MAX_VERSIONS = 10_000;

/** A query of the versions of all names that a condition lets. */
export const allVersions = (db: Db, readable: PackageCondition) =>
  db
    .selectFrom('packages')
    .where('packages.package_type', '=', 'composer')
    .where('packages.status', 'in', INSTALLABLE)
    .where(readable);

/** The same of one name. */
export const versionsOfName = (db: Db, readable: PackageCondition, name: string) =>
  installable(db, { readable }, { type: 'composer', nameKey: name.toLowerCase() });

/** The version of a package of a project that is, or was, at a commit. */
export async function versionAt(
  db: Db,
  source: PackageSource & { projectId: number },
  name: string,
  sha: string,
): Promise<Package | undefined> {
  const rows = await installable(db, source, { type: 'composer', nameKey: name.toLowerCase() })
    .selectAll('packages')
    .where('packages.metadata', 'like', `%"${sha}"%`)
    .orderBy('packages.id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
  return rows.find(({ metadata }) => {
    const facts = parseJson<ComposerFacts>(metadata);
    return facts.sha === sha || facts.earlier.includes(sha);
  });
}
