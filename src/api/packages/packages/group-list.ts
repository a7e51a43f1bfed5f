import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import type { Schema } from '../../../db/db.schema.ts';
import { countOf, type PageRange, pageOf } from '../../../db/paginate.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import type { PackageNameScope } from '../../../packages/package-registry.names.ts';
import { projectsWithPackages } from '../../../packages/package-registry.readable.ts';
import {
  byLastSegment,
  inOrder,
  isByName,
  LIST_COLUMNS,
  type ListedPackage,
  type ListedProject,
  MAX_SORTED_MATCHES,
  matching,
  orderOf,
  type PackageFilters,
  packageNameScope,
  packagesOfFew,
  pageByPackageName,
} from './packages.list.ts';

/** Maximum number of projects whose packages are merged individually, and of rows for that. */
const FEW_PROJECTS = 50;
const FEW_ROWS = 20_000;

type Readable = (eb: ExpressionBuilder<Schema, 'projects'>) => Expression<SqlBool>;
type Listed = { rows: ListedPackage[]; total: number };

/** Returns a page of the packages of a group's projects that the caller may read. */
export async function packagesOfGroup(
  deps: Deps,
  caller: Caller,
  group: Namespace,
  filters: PackageFilters & { exclude_subgroups?: boolean | undefined },
  page: PageRange,
): Promise<Listed> {
  const { db } = deps;
  const scope = { group, withSubgroups: filters.exclude_subgroups !== true };
  const readable = await projectsWithPackages(deps, caller, scope);
  const { credential, user, admin } = caller;
  const who = user === null ? credential.kind : `${admin ? 'admin' : 'user'}${user.id}`;
  const key = `packages:${group.id}:${scope.withSubgroups}:${who}:${today(deps.clock)}`;
  const remember = <T>(name: string, load: () => Promise<T>) =>
    credential.kind === 'deploy_token' ? load() : deps.snapshot.get(`${key}:${name}`, load);
  const projects = await remember('projects', () => projectsOf(deps, readable));
  const few = projects.length <= FEW_PROJECTS && (page.offset + page.size) * projects.length <= FEW_ROWS;
  if (few) return ofFew(deps, projects, filters, page);
  if (orderOf(filters).order !== 'project_path') {
    const listed = (named: PackageNameScope | null) => ofMany(deps, readable, filters, named);
    return isByName(filters)
      ? pageByPackageName(db, listed, packageNameScope(filters), page)
      : pageOf(db, listed(null), page);
  }
  const counts = await remember(JSON.stringify({ ...filters, page: 0, per_page: 0 }), () =>
    countsOf(deps, readable, filters),
  );
  return byPath(deps, counts, filters, page);
}

/** Query for projects with packages; more than `FEW_PROJECTS` if there are more. */
const projectsOf = ({ db }: Deps, readable: Readable): Promise<ListedProject[]> =>
  db
    .selectFrom('projects')
    .select(['projects.id', 'projects.path', 'projects.full_path'])
    .where(readable)
    .where((eb) =>
      eb.exists(eb.selectFrom('packages').select('packages.id').whereRef('packages.project_id', '=', 'projects.id')),
    )
    .limit(FEW_PROJECTS + 1)
    .execute();

async function ofFew(
  { db }: Deps,
  projects: readonly ListedProject[],
  filters: PackageFilters,
  page: PageRange,
): Promise<Listed> {
  const projectIds = projects.map(({ id }) => id);
  const all = matching(db, filters, isByName(filters) ? packageNameScope(filters, projectIds) : null)
    .where('packages.project_id', 'in', projectIds)
    .select('packages.id');
  if (isByName(filters)) {
    const total = await countOf(db, all);
    return { rows: await packagesOfFew(db, projects, filters, page, total <= MAX_SORTED_MATCHES), total };
  }
  const rows = await packagesOfFew(db, projects, filters, page);
  if (rows.length > 0 && rows.length < page.size) return { rows, total: page.offset + rows.length };
  return { rows, total: await countOf(db, all) };
}

/** Walks all packages in index order, checking the project of each. */
const ofMany = ({ db }: Deps, readable: Readable, filters: PackageFilters, named: PackageNameScope | null) =>
  inOrder(
    matching(db, filters, named).where((eb) =>
      eb.exists(
        eb
          .selectFrom('projects')
          .select('projects.id')
          .whereRef('projects.id', '=', 'packages.project_id')
          .where(() => readable(expressionBuilder<Schema, 'projects'>())),
      ),
    ),
    filters,
  ).select(LIST_COLUMNS);

type Counted = ListedProject & { many: number };

/** Counts the packages of each project, in the order of their paths. */
async function countsOf({ db }: Deps, readable: Readable, filters: PackageFilters): Promise<Counted[]> {
  const counted = matching(db, filters, isByName(filters) ? packageNameScope(filters) : null)
    .select(({ fn }) => ['packages.project_id', fn.countAll<number | string>().as('many')])
    .groupBy('packages.project_id')
    .as('counted');
  const rows = await db
    .selectFrom('projects')
    .innerJoin(counted, 'counted.project_id', 'projects.id')
    .select(['projects.id', 'projects.path', 'projects.full_path', 'counted.many'])
    .where(() => readable(expressionBuilder<Schema, 'projects'>()))
    .execute();
  const backwards = orderOf(filters).sort === 'desc' ? -1 : 1;
  return rows.map((row) => ({ ...row, many: Number(row.many) })).sort((a, b) => backwards * byLastSegment(a, b));
}

/** Returns a page ordered by project path, reading only the projects that it spans. */
async function byPath(
  { db }: Deps,
  counts: readonly Counted[],
  filters: PackageFilters,
  page: PageRange,
): Promise<Listed> {
  const spanned: Counted[] = [];
  let before = 0;
  let skipped = 0;
  for (const project of counts) {
    const end = before + project.many;
    if (end <= page.offset) skipped = end;
    else if (before < page.offset + page.size) spanned.push(project);
    before = end;
  }
  const within = { offset: Math.max(0, page.offset - skipped), size: page.size };
  const fewNamed = isByName(filters) && spanned.every(({ many }) => many <= MAX_SORTED_MATCHES);
  return { rows: await packagesOfFew(db, spanned, filters, within, fewNamed), total: before };
}
