import { type OrderByItemBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { contains } from '../../../db/like.ts';
import { pageOf } from '../../../db/paginate.ts';
import type { Db, Schema } from '../../../db/schema.ts';
import type { Package, PackageStatus, PackageType } from '../../../db/tables/packages.ts';

export type PackageOrder = 'created_at' | 'name' | 'version' | 'type' | 'project_path';

/** What is wanted of a list of packages. */
export interface PackageFilters {
  order_by?: string | undefined;
  sort?: 'asc' | 'desc' | undefined;
  package_type?: PackageType | undefined;
  package_name?: string | undefined;
  package_version?: string | undefined;
  include_versionless?: boolean | undefined;
  status?: PackageStatus | undefined;
}

export interface PageWanted {
  offset: number;
  size: number;
}
export type Packages = SelectQueryBuilder<Schema, 'packages', object>;

/** What is shown of packages in lists: what registries keep of them can be long. */
export const SHOWN = [
  'packages.id',
  'packages.project_id',
  'packages.package_type',
  'packages.name',
  'packages.version',
  'packages.status',
  'packages.created_at',
] as const;
export type ShownPackage = Pick<
  Package,
  'id' | 'project_id' | 'package_type' | 'name' | 'version' | 'status' | 'created_at'
>;

/** Statuses that lists show unless one is asked for. */
export const DISPLAYED: readonly PackageStatus[] = ['default', 'deprecated', 'error'];

/** The columns behind an order; the id follows. Each is served by an index, and by one that begins with the project. */
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

/** Packages that filters let through, of any project. */
export function matching(db: Db, filters: PackageFilters): Packages {
  const { package_type, package_name, package_version, include_versionless, status } = filters;
  let query = db.selectFrom('packages').where('packages.status', 'in', status === undefined ? DISPLAYED : [status]);
  if (package_type !== undefined) query = query.where('packages.package_type', '=', package_type);
  if (package_name !== undefined && package_name !== '') {
    query = query.where((eb) => contains(eb.ref('packages.name'), package_name));
  }
  if (package_version !== undefined) query = query.where('packages.version', '=', package_version);
  else if (include_versionless !== true) query = query.where('packages.version', 'is not', null);
  return query as Packages;
}

/** A query for packages with the order that is wanted of it. */
export function inOrder(query: Packages, filters: PackageFilters): Packages {
  const { columns, sort } = orderOf(filters);
  return columns.reduce(
    (ordered, column) => ordered.orderBy(column, (item) => direction(item, column, filters, sort)),
    query,
  );
}

/** What is of no version comes first, as SQLite has it by itself. */
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

/** A page of the packages of a project. */
export const packagesOfProject = (db: Db, projectId: number, filters: PackageFilters, page: PageWanted) =>
  pageOf(db, inOrder(matching(db, filters).where('packages.project_id', '=', projectId), filters).select(SHOWN), page);

export interface ListedProject {
  id: number;
  full_path: string;
}

/** A page of the packages of a few projects: the first of each by its own order, and of these the page. */
export async function packagesOfFew(
  db: Db,
  projects: readonly ListedProject[],
  filters: PackageFilters,
  { offset, size }: PageWanted,
): Promise<ShownPackage[]> {
  const { order, columns, sort } = orderOf(filters);
  const byPath = [...projects].sort((a, b) => (a.full_path < b.full_path ? -1 : 1));
  const [first, ...others] = byPath.map(({ id }, rank) =>
    db
      .selectFrom(
        inOrder(matching(db, filters).where('packages.project_id', '=', id), filters)
          .select(['packages.id', sql.ref(columns[0]).as('first_key'), sql.ref(columns[1]).as('second_key')])
          .select(sql.lit(order === 'project_path' ? rank : 0).as('rank'))
          .limit(offset + size)
          .as('of_project'),
      )
      .selectAll(),
  );
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
  const wanted = (await page.execute()).map(({ id }) => id);
  const rows = await db.selectFrom('packages').select(SHOWN).where('id', 'in', wanted).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.flatMap((id) => byId.get(id) ?? []);
}
