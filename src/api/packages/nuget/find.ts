import { sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { contains } from '../../../db/like.ts';
import type { Db } from '../../../db/schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Package } from '../../../db/tables/packages.ts';
import type { Deps } from '../../../deps.ts';
import type { BaseContext } from '../../../http/route.ts';
import { INSTALLABLE, installable, type PackageSource } from '../../../packages/find.ts';
import { projectsWithPackages } from '../../../packages/readable.ts';
import { compareVersions, nameKeyOf } from './names.ts';

/** Where packages are looked for, and its address below the API. */
export interface Feed {
  source: PackageSource;
  path: string;
}

export const projectFeed = (id: number): Feed => ({
  source: { projectId: id },
  path: `/projects/${id}/packages/nuget`,
});

/** Those of all projects in and below a group whose packages the caller may read. */
export async function groupFeed(deps: Deps, caller: Caller, group: Namespace): Promise<Feed> {
  const readable = await projectsWithPackages(deps, caller, { group });
  return {
    source: {
      readable: (eb) =>
        eb('packages.project_id', 'in', eb.selectFrom('projects').select('projects.id').where(readable)),
    },
    path: `/groups/${group.id}/-/packages/nuget`,
  };
}

/** A version without what it says of itself. */
export interface KnownVersion {
  id: number;
  versionKey: string;
  /** Characters of what it says of itself. */
  size: number;
}

/** Versions of a name that are read at most, and of a page of names; the newest of them. */
const MAX_ROWS = 10_000;

/** All versions of a name, the lowest first; of one that several projects have, that which came last. */
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

/** Memory that a version takes beside what it says of itself, and how many times the length of that. */
const ROW_BYTES = 4 * 1024;
const TEXT_FACTOR = 6;

/** Versions with what they say of themselves, in their order, once there is room for that; without those that are gone. */
export async function described(c: BaseContext, versions: readonly KnownVersion[]): Promise<Package[]> {
  if (versions.length === 0) return [];
  await c.hold(versions.reduce((sum, { size }) => sum + ROW_BYTES + TEXT_FACTOR * size, 0));
  const ids = versions.map(({ id }) => id);
  const rows = await c.deps.db.selectFrom('packages').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const PRERELEASE = '%-%';

function matching(db: Db, source: PackageSource, { q, prerelease }: { q: string; prerelease: boolean }) {
  let query = db
    .selectFrom('packages')
    .where('packages.package_type', '=', 'nuget')
    .where('packages.status', 'in', INSTALLABLE);
  query =
    'projectId' in source ? query.where('packages.project_id', '=', source.projectId) : query.where(source.readable);
  if (q !== '') query = query.where(contains(sql.ref('packages.name_key'), q));
  return prerelease ? query : query.where('packages.version_key', 'not like', PRERELEASE);
}

export interface Search {
  /** Part of the name; empty for all. */
  q: string;
  prerelease: boolean;
  skip: number;
  take: number;
}

/** Names that fit a search, a page of them in their order, with how many there are. */
export async function searchNames(
  db: Db,
  { source }: Feed,
  search: Search,
): Promise<{ total: number; nameKeys: string[] }> {
  const { total } = await matching(db, source, search)
    .select((eb) => eb.fn.count<number | string>('packages.name_key').distinct().as('total'))
    .executeTakeFirstOrThrow();
  const names = await matching(db, source, search)
    .select('packages.name_key')
    .groupBy('packages.name_key')
    .orderBy('packages.name_key')
    .limit(search.take)
    .offset(search.skip)
    .execute();
  return { total: Number(total), nameKeys: names.map(({ name_key }) => name_key) };
}

/** Versions of names of a page, by name, the highest first; of one that several projects have, that which came last. */
export async function versionsOfNames(
  db: Db,
  { source }: Feed,
  prerelease: boolean,
  nameKeys: readonly string[],
): Promise<Map<string, KnownVersion[]>> {
  if (nameKeys.length === 0) return new Map();
  const rows = await matching(db, source, { q: '', prerelease })
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

/** Versions whose names fit a search, a page of them by name, with how many there are. */
export async function searchVersions(
  db: Db,
  { source }: Feed,
  search: Search,
): Promise<{ total: number; versions: { nameKey: string; id: number }[] }> {
  const { total } = await matching(db, source, search)
    .select((eb) => eb.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching(db, source, search)
    .select(['packages.id', 'packages.name_key'])
    .orderBy('packages.name_key')
    .orderBy('packages.id')
    .limit(search.take)
    .offset(search.skip)
    .execute();
  return { total: Number(total), versions: rows.map(({ id, name_key }) => ({ id, nameKey: name_key })) };
}
