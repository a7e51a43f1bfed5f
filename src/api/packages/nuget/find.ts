import { sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { contains } from '../../../db/like.ts';
import type { Db } from '../../../db/schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Package } from '../../../db/tables/packages.ts';
import type { Deps } from '../../../deps.ts';
import { INSTALLABLE, type PackageSource, versionsOf } from '../../../packages/find.ts';
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

/** All versions of a name, the lowest first; of one that several projects have, that which came last. */
export async function sortedVersions(db: Db, { source }: Feed, name: string): Promise<Package[]> {
  const rows = await versionsOf(db, source, { type: 'nuget', nameKey: nameKeyOf(name) });
  const newest = new Map(rows.map((row) => [row.version_key, row]));
  return [...newest.values()].sort((a, b) => compareVersions(a.version_key, b.version_key));
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

const MAX_ROWS = 10_000;

/** Versions of names of a page, by name, the highest first, at most so many of each; without what they say of themselves. */
export async function versionsOfNames(
  db: Db,
  { source }: Feed,
  search: Search,
  nameKeys: readonly string[],
  most: number,
): Promise<Map<string, { id: number; version: string }[]>> {
  if (nameKeys.length === 0) return new Map();
  const rows = await matching(db, source, { ...search, q: '' })
    .select(['packages.id', 'packages.name_key', 'packages.version_key'])
    .where('packages.name_key', 'in', nameKeys)
    .orderBy('packages.id', 'desc')
    .limit(MAX_ROWS)
    .execute();
  const byName = new Map(nameKeys.map((key) => [key, new Map<string, number>()]));
  for (const { id, name_key, version_key } of rows) {
    const versions = byName.get(name_key)!;
    if (!versions.has(version_key)) versions.set(version_key, id);
  }
  return new Map(
    [...byName].map(([key, versions]) => [
      key,
      [...versions]
        .sort(([a], [b]) => compareVersions(b, a))
        .slice(0, most)
        .map(([version, id]) => ({ id, version })),
    ]),
  );
}
