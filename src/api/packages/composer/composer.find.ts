import { sql } from 'kysely';
import type { Db } from '../../../db/db.schema.ts';
import { INSTALLABLE, installable, type PackageSource } from '../../../packages/package-registry.find.ts';
import type { PackageCondition } from '../../../packages/package-registry.readable.ts';

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

/** More characters than the commits of a version take (`ComposerFacts`), before its composer.json. */
const HEAD = 8_000;
/** Versions that name a commit within them and are looked at. */
const MAX_NAMING = 100;

/** The id of the version of a package of a project that is, or was, at a commit. */
export async function versionAt(
  db: Db,
  source: PackageSource & { projectId: number },
  name: string,
  sha: string,
): Promise<number | undefined> {
  const head = sql<string>`substr(packages.metadata, 1, ${sql.lit(HEAD)})`;
  const rows = await installable(db, source, { type: 'composer', nameKey: name.toLowerCase() })
    .select(['packages.id', head.as('head')])
    .where(head, 'like', `%"${sha}"%`)
    .orderBy('packages.id', 'desc')
    .limit(MAX_NAMING)
    .execute();
  return rows.find(({ head }) => head.slice(0, head.indexOf(',"composer_json":')).includes(`"${sha}"`))?.id;
}
