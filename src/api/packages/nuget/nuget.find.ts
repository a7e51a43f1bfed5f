import { type SelectQueryBuilder, sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Deps } from '../../../deps.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { installable, installableOf, type PackageSource } from '../../../packages/package-registry.find.ts';
import { readablePackages } from '../../../packages/package-registry.readable.ts';
import { compareVersions, nameKeyOf } from './nuget.names.ts';

/** Source of packages, and its path below the API. */
export interface Feed {
  source: PackageSource;
  path: string;
}

export const projectFeed = (id: number): Feed => ({
  source: { projectId: id },
  path: `/projects/${id}/packages/nuget`,
});

/** Feed of all projects of a group and its subgroups whose packages the caller may read. */
export async function groupFeed(deps: Deps, caller: Caller, group: Namespace): Promise<Feed> {
  return {
    source: { readable: await readablePackages(deps, caller, { group }) },
    path: `/groups/${group.id}/-/packages/nuget`,
  };
}

/** A version without its metadata. */
export interface KnownVersion {
  id: number;
  versionKey: string;
  /** Length of its metadata in characters. */
  size: number;
}

/** Maximum number of versions read per name, and per page of names; newest first. */
const MAX_ROWS = 10_000;

/** Returns all versions of a name, lowest first; the latest publication of each. */
export async function sortedVersions(db: Db, { source }: Feed, name: string): Promise<KnownVersion[]> {
  const rows = await installable(db, source, { type: 'nuget', nameKey: nameKeyOf(name) })
    .select(KNOWN)
    .orderBy('packages.id', 'desc')
    .limit(MAX_ROWS)
    .execute();
  const newest = new Map(rows.reverse().map((row) => [row.version_key, known(row)]));
  return [...newest.values()].sort((a, b) => compareVersions(a.versionKey, b.versionKey));
}

const KNOWN = [
  'packages.id',
  'packages.name_key',
  'packages.version_key',
  sql<number>`length(packages.metadata)`.as('size'),
] as const;
const known = ({ id, version_key, size }: { id: number; version_key: string; size: number }): KnownVersion => ({
  id,
  versionKey: version_key,
  size: Number(size),
});

/** Memory of a version without its metadata, and of metadata as a multiple of its length. */
const ROW_BYTES = 4 * 1024;
const TEXT_FACTOR = 6;

/** Loads the metadata of versions, in order, once memory is available; deleted versions are left out. */
export async function withMetadata(c: BaseContext, versions: readonly KnownVersion[]): Promise<Package[]> {
  if (versions.length === 0) return [];
  await c.hold(versions.reduce((sum, { size }) => sum + ROW_BYTES + TEXT_FACTOR * size, 0));
  const ids = versions.map(({ id }) => id);
  const rows = await c.deps.db.selectFrom('packages').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const PRERELEASE = '%-%';

/** Query for the installable versions of a feed. @param from packages to search */
export function installableVersions(
  { source }: Feed,
  prerelease: boolean,
  from: SelectQueryBuilder<Schema, 'packages', object>,
) {
  const there = installableOf(from, source, 'nuget');
  return prerelease ? there : there.where('packages.version_key', 'not like', PRERELEASE);
}

/** Loads the versions of a page of names, by name, highest first; the latest publication of each. */
export async function versionsOfNames(
  db: Db,
  feed: Feed,
  prerelease: boolean,
  nameKeys: readonly string[],
): Promise<Map<string, KnownVersion[]>> {
  if (nameKeys.length === 0) return new Map();
  const rows = await installableVersions(feed, prerelease, db.selectFrom('packages'))
    .select(KNOWN)
    .where('packages.name_key', 'in', nameKeys)
    .orderBy('packages.id', 'desc')
    .limit(MAX_ROWS)
    .execute();
  const byName = new Map(nameKeys.map((key) => [key, new Map<string, KnownVersion>()]));
  for (const row of rows.reverse()) byName.get(row.name_key)!.set(row.version_key, known(row));
  return new Map(
    [...byName].map(([key, versions]) => [
      key,
      [...versions.values()].sort((a, b) => compareVersions(b.versionKey, a.versionKey)),
    ]),
  );
}
