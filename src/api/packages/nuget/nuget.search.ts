import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { contains } from '../../../db/like.ts';
import { countOf, pageOf } from '../../../db/paginate.ts';
import { namesWith, packagesNamed } from '../../../packages/package-registry.names.ts';
import { type Feed, installableVersions } from './nuget.find.ts';

export interface Search {
  /** Text in the name; empty for all. */
  q: string;
  prerelease: boolean;
  skip: number;
  take: number;
}

type Query<T extends keyof Schema> = SelectQueryBuilder<Schema, T, object>;

/** Number of matches up to which they are collected and sorted; more are found by walking the order. */
const FEW_NAMES = 100;
const FEW_VERSIONS = 1_000;

const placeOf = ({ source }: Feed) =>
  'projectId' in source ? { types: ['nuget'], projectIds: [source.projectId] } : { types: ['nuget'] };

/** Returns a page of matching names, in order, and their number; counted up to 10,000. */
export async function searchNames(
  db: Db,
  feed: Feed,
  { q, prerelease, skip, take }: Search,
): Promise<{ total: number; nameKeys: string[] }> {
  const { source } = feed;
  const versions = installableVersions(feed, prerelease, db.selectFrom('packages'))
    .select('packages.id')
    .where(sql<SqlBool>`packages.name_key = package_names.name_key`)
    .where(sql<SqlBool>`packages.project_id = package_names.project_id`);
  const listed = (names: Query<'package_names'>) =>
    ('projectId' in source ? names.where('package_names.project_id', '=', source.projectId) : names)
      .where('package_names.package_type', '=', 'nuget')
      .where((eb) => eb.exists(versions))
      .select('package_names.name_key')
      .distinct()
      .orderBy('package_names.name_key');
  const all = db.selectFrom('package_names');
  const gathered = namesWith(db, q, placeOf(feed)) as unknown as Query<'package_names'>;
  const walked = all.where((eb) => contains(eb.ref('package_names.name'), q));
  const page = { offset: skip, size: take };
  const { rows, total } =
    q === ''
      ? await pageOf(db, listed(all), page)
      : await fewOrMany(db, listed(gathered), listed(walked), FEW_NAMES, page);
  return { total, nameKeys: rows.map(({ name_key }) => name_key) };
}

/** Returns a page of versions with matching names, ordered by name, and their number; counted up to 10,000. */
export async function searchVersions(
  db: Db,
  feed: Feed,
  { q, prerelease, skip, take }: Search,
): Promise<{ total: number; versions: { nameKey: string; id: number }[] }> {
  const listed = (packages: Query<'packages'>) =>
    installableVersions(feed, prerelease, packages)
      .select(['packages.id', 'packages.name_key'])
      .orderBy('packages.name_key')
      .orderBy('packages.id');
  const all = db.selectFrom('packages');
  const gathered = packagesNamed(db, q, placeOf(feed)) as unknown as Query<'packages'>;
  const walked = all.where((eb) => contains(eb.ref('packages.name_key'), q));
  const page = { offset: skip, size: take };
  const { rows, total } =
    q === ''
      ? await pageOf(db, listed(all), page)
      : await fewOrMany(db, listed(gathered), listed(walked), FEW_VERSIONS, page);
  return { total, versions: rows.map(({ id, name_key }) => ({ id, nameKey: name_key })) };
}

/** Returns a page by one of two equivalent queries, depending on the number of rows. */
async function fewOrMany<T extends keyof Schema, O>(
  db: Db,
  gathered: SelectQueryBuilder<Schema, T, O>,
  walked: SelectQueryBuilder<Schema, T, O>,
  few: number,
  { offset, size }: { offset: number; size: number },
): Promise<{ total: number; rows: O[] }> {
  const total = await countOf(db, gathered);
  const rows = await (total <= few ? gathered : walked).limit(size).offset(offset).execute();
  return { total, rows };
}
