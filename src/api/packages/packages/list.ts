import { type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import { contains } from '../../../db/like.ts';
import { countOf, pageOf } from '../../../db/paginate.ts';
import type { Db, Schema } from '../../../db/schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Package, PackageStatus, PackageType } from '../../../db/tables/packages.ts';
import type { Deps } from '../../../deps.ts';
import { projectsWithPackages } from '../../../packages/readable.ts';

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

interface PageWanted {
  offset: number;
  size: number;
}
type Packages = SelectQueryBuilder<Schema, 'packages', object>;

/** Statuses that lists show unless one is asked for. */
export const DISPLAYED: readonly PackageStatus[] = ['default', 'deprecated', 'error'];

/** The columns behind an order; the id follows. Each is served by an index that begins with the project. */
const COLUMNS = {
  created_at: ['packages.created_at'],
  name: ['packages.name'],
  version: ['packages.version_key'],
  type: ['packages.package_type', 'packages.created_at'],
  project_path: ['packages.created_at'],
} as const satisfies Record<PackageOrder, readonly string[]>;

const orderOf = ({ order_by = 'created_at', sort = 'asc' }: PackageFilters) => ({
  order: order_by as PackageOrder,
  columns: [...COLUMNS[order_by as PackageOrder], 'packages.id'] as const,
  sort,
});

function matching(db: Db, filters: PackageFilters): Packages {
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

function inOrder(query: Packages, filters: PackageFilters): Packages {
  const { columns, sort } = orderOf(filters);
  return columns.reduce((ordered, column) => ordered.orderBy(column, sort), query);
}

/** A page of the packages of a project. */
export const packagesOfProject = (db: Db, projectId: number, filters: PackageFilters, page: PageWanted) =>
  pageOf(
    db,
    inOrder(matching(db, filters).where('packages.project_id', '=', projectId), filters).selectAll('packages'),
    page,
  );

/** Projects whose packages are put in order one by one at most, and rows that this may take. */
const FEW_PROJECTS = 50;
const FEW_ROWS = 20_000;

interface ListedProject {
  id: number;
  full_path: string;
}

/** A page of the packages of a group's projects that the caller may read. */
export async function packagesOfGroup(
  deps: Deps,
  caller: Caller,
  group: Namespace,
  filters: PackageFilters & { exclude_subgroups?: boolean | undefined },
  page: PageWanted,
): Promise<{ rows: Package[]; total: number }> {
  const { db } = deps;
  const place = { group, withSubgroups: filters.exclude_subgroups !== true };
  const readable = await projectsWithPackages(deps, caller, place);
  const read = () =>
    db
      .selectFrom('projects')
      .select(['projects.id', 'projects.full_path'])
      .where(readable)
      .where((eb) =>
        eb.exists(
          eb.selectFrom('packages').select('packages.id').whereRef('packages.project_id', '=', 'projects.id').limit(1),
        ),
      )
      .limit(FEW_PROJECTS + 1)
      .execute();
  const { credential, user, admin } = caller;
  const who = user === null ? credential.kind : `${admin ? 'admin' : 'user'}${user.id}`;
  const key = `packages:${group.id}:${place.withSubgroups}:${who}:${today(deps.clock)}`;
  const projects = await (credential.kind === 'deploy_token' ? read() : deps.snapshot.get(key, read));
  const few = projects.length <= FEW_PROJECTS && (page.offset + page.size) * projects.length <= FEW_ROWS;
  if (!few) return pageOf(db, ofMany(db, filters, readable), page);
  const rows = await pageOfFew(db, projects, filters, page);
  if (rows.length > 0 && rows.length < page.size) return { rows, total: page.offset + rows.length };
  const ids = projects.map(({ id }) => id);
  const all = matching(db, filters).where('packages.project_id', 'in', ids).select('packages.id');
  return { rows, total: await countOf(db, all) };
}

/** Those of any number of projects, put in order together; by their time an index does that. */
function ofMany(db: Db, filters: PackageFilters, readable: Awaited<ReturnType<typeof projectsWithPackages>>) {
  const { order, sort } = orderOf(filters);
  const query = matching(db, filters).where((eb) =>
    eb.exists(
      eb
        .selectFrom('projects')
        .select('projects.id')
        .whereRef('projects.id', '=', 'packages.project_id')
        .where(() => readable(expressionBuilder<Schema, 'projects'>())),
    ),
  );
  const path = (eb: ExpressionBuilder<Schema, 'packages'>) =>
    eb.selectFrom('projects').select('projects.full_path').whereRef('projects.id', '=', 'packages.project_id');
  const byPath = order === 'project_path' ? query.orderBy(path, sort) : query;
  return inOrder(byPath, filters).selectAll('packages');
}

/** The first packages of each project by its own order, and of these the page: no project is read beyond it. */
async function pageOfFew(
  db: Db,
  projects: readonly ListedProject[],
  filters: PackageFilters,
  { offset, size }: PageWanted,
): Promise<Package[]> {
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
    .orderBy('first_key', sort)
    .orderBy('second_key', sort)
    .orderBy('firsts.id', sort)
    .limit(size)
    .offset(offset);
  const wanted = (await page.execute()).map(({ id }) => id);
  const rows = await db.selectFrom('packages').selectAll().where('id', 'in', wanted).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.flatMap((id) => byId.get(id) ?? []);
}
