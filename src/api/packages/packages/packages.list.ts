import { type OrderByItemBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { contains } from '../../../db/like.ts';
import { countOf, type PageRange, pageOf } from '../../../db/paginate.ts';
import type { Package, PackageStatus } from '../../../db/tables/packages.table.ts';
import { type PackageNameScope, packagesNamed } from '../../../packages/package-registry.names.ts';
import { PACKAGE_TYPES } from '../package-kinds.ts';

export type PackageOrder = 'created_at' | 'name' | 'version' | 'type' | 'project_path';

/** Filters of a list of packages. */
export interface PackageFilters {
  order_by?: string | undefined;
  sort?: 'asc' | 'desc' | undefined;
  package_type?: string | undefined;
  package_name?: string | undefined;
  package_version?: string | undefined;
  include_versionless?: boolean | undefined;
  status?: PackageStatus | undefined;
}

export type Packages = SelectQueryBuilder<Schema, 'packages', object>;

/** Columns for lists: metadata of registries can be long. */
export const LIST_COLUMNS = [
  'packages.id',
  'packages.project_id',
  'packages.package_type',
  'packages.name',
  'packages.version',
  'packages.status',
  'packages.created_at',
] as const;
export type ListedPackage = Pick<
  Package,
  'id' | 'project_id' | 'package_type' | 'name' | 'version' | 'status' | 'created_at'
>;

/** Statuses listed by default. */
export const DEFAULT_STATUSES: readonly PackageStatus[] = ['default', 'deprecated', 'error'];

/** Columns of each order, followed by the id. Each has an index, and one that begins with the project. */
const COLUMNS = {
  created_at: ['packages.created_at'],
  name: ['packages.name'],
  version: ['packages.version', 'packages.created_at'],
  type: ['packages.package_type', 'packages.created_at'],
  project_path: ['packages.created_at'],
} as const satisfies Record<PackageOrder, readonly string[]>;

export const orderOf = ({ order_by = 'created_at', sort = 'asc' }: PackageFilters) => ({
  order: order_by as PackageOrder,
  columns: [...COLUMNS[order_by as PackageOrder], 'packages.id'] as const,
  sort,
});

/** Number of name matches up to which they are collected and sorted; more are found by walking the order. */
export const MAX_SORTED_MATCHES = 1_000;

/**
 * Query for packages that match filters, of any project.
 * @param named begins with the names of this scope, if a part of a name is given
 */
export function matching(db: Db, filters: PackageFilters, named: PackageNameScope | null = null): Packages {
  const { package_type, package_name = '', package_version, include_versionless, status } = filters;
  let query = (
    named === null || package_name === '' ? db.selectFrom('packages') : packagesNamed(db, package_name, named)
  ) as Packages;
  query = query.where('packages.status', 'in', status === undefined ? DEFAULT_STATUSES : [status]);
  if (package_type !== undefined) query = query.where('packages.package_type', '=', package_type);
  if (named === null && package_name !== '') {
    query = query.where((eb) => contains(eb.ref('packages.name'), package_name));
  }
  if (package_version !== undefined) query = query.where('packages.version', '=', package_version);
  else if (include_versionless !== true) query = query.where('packages.version', 'is not', null);
  return query;
}

/** Adds the requested order to a query. */
export function inOrder(query: Packages, filters: PackageFilters): Packages {
  const { columns, sort } = orderOf(filters);
  return columns.reduce(
    (ordered, column) => ordered.orderBy(column, (item) => direction(item, column, filters, sort)),
    query,
  );
}

/** Packages without a version come first, as in SQLite by default. */
function direction(
  item: OrderByItemBuilder,
  column: string,
  { include_versionless }: PackageFilters,
  sort: 'asc' | 'desc',
): OrderByItemBuilder {
  const directed = sort === 'asc' ? item.asc() : item.desc();
  if (include_versionless !== true || column !== 'packages.version') return directed;
  return sort === 'asc' ? directed.nullsFirst() : directed.nullsLast();
}

/** Returns a page of the packages of a project. */
export function packagesOfProject(db: Db, projectId: number, filters: PackageFilters, page: PageRange) {
  const listed = (named: PackageNameScope | null) =>
    inOrder(matching(db, filters, named).where('packages.project_id', '=', projectId), filters).select(LIST_COLUMNS);
  if (!isByName(filters)) return pageOf(db, listed(null), page);
  return pageByPackageName(db, listed, packageNameScope(filters, [projectId]), page);
}

/** Whether a part of a name is given. */
export const isByName = ({ package_name = '' }: PackageFilters): boolean => package_name !== '';

/** Names to search: of the requested type, in these projects or in all. */
export const packageNameScope = (
  { package_type }: PackageFilters,
  projectIds?: readonly number[],
): PackageNameScope => ({
  types: package_type === undefined ? PACKAGE_TYPES : [package_type],
  ...(projectIds === undefined ? {} : { projectIds }),
});

/** Returns a page of packages by a part of their name. @param listed query by name or by order */
export async function pageByPackageName(
  db: Db,
  listed: (named: PackageNameScope | null) => SelectQueryBuilder<Schema, 'packages', ListedPackage>,
  scope: PackageNameScope,
  { offset, size }: PageRange,
): Promise<{ rows: ListedPackage[]; total: number }> {
  const total = await countOf(db, listed(scope));
  const query = listed(total <= MAX_SORTED_MATCHES ? scope : null);
  return { rows: await query.limit(size).offset(offset).execute(), total };
}

export interface ListedProject {
  id: number;
  /** Last segment of its full path. */
  path: string;
  full_path: string;
}

/** Compares projects by the last segments of their paths, then by full path. */
export const byLastSegment = (a: ListedProject, b: ListedProject): number =>
  (a.path === b.path ? a.full_path < b.full_path : a.path < b.path) ? -1 : 1;

/**
 * Merges the packages of a few projects: the first page of each in order.
 * @param fewNamed begins with the names, if a part of one is given
 */
export async function packagesOfFew(
  db: Db,
  projects: readonly ListedProject[],
  filters: PackageFilters,
  { offset, size }: PageRange,
  fewNamed = false,
): Promise<ListedPackage[]> {
  const { order, columns, sort } = orderOf(filters);
  const byPath = [...projects].sort(byLastSegment);
  const [first, ...others] = byPath.map(({ id }, rank) => {
    const ofProject = matching(db, filters, fewNamed ? packageNameScope(filters, [id]) : null);
    return db
      .selectFrom(
        inOrder(ofProject.where('packages.project_id', '=', id), filters)
          .select(['packages.id', sql.ref(columns[0]).as('first_key'), sql.ref(columns[1]).as('second_key')])
          .select(sql.lit(order === 'project_path' ? rank : 0).as('rank'))
          .limit(offset + size)
          .as('of_project'),
      )
      .selectAll();
  });
  if (first === undefined) return [];
  const firsts = others.reduce((all, each) => all.unionAll(each), first).as('firsts');
  const page = db
    .selectFrom(firsts)
    .select('firsts.id')
    .orderBy('rank', sort)
    .orderBy('first_key', (item) => direction(item, columns[0], filters, sort))
    .orderBy('second_key', sort)
    .orderBy('firsts.id', sort)
    .limit(size)
    .offset(offset);
  const ids = (await page.execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('packages').select(LIST_COLUMNS).where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
