import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { fewProjectsOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { type ReadableProjectsFilter, readableProjects } from '../../../access/readable-projects.ts';
import { openVisibilities } from '../../../access/visible-groups.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { Ids } from './issuables.filters.ts';

/** Features that labels and milestones belong to. */
const ISSUABLES = ['issues', 'merge_requests'] as const;

/**
 * Condition on `projects`: the caller may read labels and milestones, because they may read issues or merge requests.
 * Equivalent to `read_label` and `read_milestone` of a single project.
 * @param day today, `YYYY-MM-DD`
 */
export const withOpenIssuables = (
  eb: ExpressionBuilder<Schema, 'projects'>,
  caller: Caller,
  filter: Pick<ReadableProjectsFilter, 'below' | 'nonArchived'>,
  day: string,
): Expression<SqlBool> =>
  eb.or(
    ISSUABLES.map((feature) => readableProjects(eb, caller, { feature, level: AccessLevel.guest, ...filter }, day)),
  );

/** Maximum number of project ids in a condition. */
const FEW_PROJECTS = 2_000;

/**
 * Queries for the ids of issues (or merge requests) in the projects that the caller may read, unless these are all
 * projects: sources of a list across projects.
 */
export async function projectSources(deps: Deps, caller: Caller, filter: ReadableProjectsFilter): Promise<Ids[]> {
  if (caller.admin && filter.below === undefined) return [];
  const day = today(deps.clock);
  const who = caller.admin ? 'admin' : caller.user?.id;
  const key = `readable:${day}:${who}:${JSON.stringify(filter)}`;
  const readable = () =>
    deps.db
      .selectFrom('projects')
      .select('projects.id')
      .where((eb) => readableProjects(eb, caller, filter, day));
  const ids = await deps.snapshot.get(key, async () => {
    if (filter.below !== undefined) return idsOf(readable());
    const candidates = await candidatesOf(deps, caller, day);
    if (candidates === null) return null;
    return candidates.length === 0 ? [] : idsOf(readable().where('projects.id', 'in', candidates));
  });
  const table = sql.table(filter.feature);
  const [id, project] = [sql.ref(`${filter.feature}.id`), sql.ref(`${filter.feature}.project_id`)];
  if (ids === null)
    return filter.below === undefined ? [] : [sql`select ${id} from ${table} where ${project} in (${readable()})`];
  if (ids.length === 0) return [sql`select ${id} from ${table} where 1 = 0`];
  return [sql`select ${id} from ${table} where ${project} in (${sql.join(ids)})`];
}

/** The ids that a query returns; null if there are many. */
async function idsOf(query: SelectQueryBuilder<Schema, 'projects', { id: number }>): Promise<number[] | null> {
  const rows = await query.limit(FEW_PROJECTS + 1).execute();
  return rows.length > FEW_PROJECTS ? null : rows.map(({ id }) => id);
}

/**
 * Projects that are open to the caller or that they are a member of, each read along an index; null if there are many.
 */
async function candidatesOf(deps: Deps, caller: Caller, day: string): Promise<number[] | null> {
  const { db } = deps;
  const open = await idsOf(
    db.selectFrom('projects').select('projects.id').where('projects.visibility', 'in', openVisibilities(caller)),
  );
  if (open === null || caller.user === null) return open;
  const own = await fewProjectsOf(db, caller.user.id, AccessLevel.guest, day, FEW_PROJECTS);
  return own === null ? null : [...new Set([...open, ...own])];
}
