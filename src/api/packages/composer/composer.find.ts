import { sql } from 'kysely';
import type { Db } from '../../../db/db.schema.ts';
import { installable, installableOf, type PackageSource } from '../../../packages/package-registry.find.ts';
import type { PackageCondition } from '../../../packages/package-registry.readable.ts';

/** Maximum number of versions read, newest first: per name, and in total for Composer 1. */
export const MAX_VERSIONS = 10_000;

/** Query for the versions of all names that match a condition. */
export const allVersions = (db: Db, readable: PackageCondition) =>
  installableOf(db.selectFrom('packages'), { readable }, 'composer');

/** Query for the versions of one name. */
export const versionsOfName = (db: Db, readable: PackageCondition, name: string) =>
  installable(db, { readable }, { type: 'composer', nameKey: name.toLowerCase() });

/** Upper bound for the length of the stored commits (`ComposerFacts`), which precede composer.json. */
const HEAD = 8_000;
/** Maximum number of versions with the commit id in their metadata that are checked. */
const MAX_NAMING = 100;

/** Returns the id of the version of a package that is, or was, at a commit. */
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
