import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { isProjectOf } from '../../access/membership.ts';
import { openVisibilities } from '../../access/visible-groups.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import { notDeleted } from '../../db/not-deleted.ts';
import type { Schema } from '../../db/schema.ts';
import type { Deps } from '../../deps.ts';
import type { Ids } from './filters.ts';

export interface ProjectsWanted {
  feature: 'issues' | 'merge_requests';
  /** Level from which on members may read that part of a project. */
  level: number;
  /** Only projects in the group of this lineage and the groups below it. */
  below?: string | undefined;
  /** Not those that are archived. */
  nonArchived?: boolean | undefined;
}

/**
 * Condition on rows of `projects`: the caller may read its issues (or merge requests). It says of every project what
 * `read_issue` and `read_merge_request` say of one.
 * @param day today, `YYYY-MM-DD`
 */
export function readableProjects(
  eb: ExpressionBuilder<Schema, 'projects'>,
  caller: Caller,
  { feature, level, below, nonArchived }: ProjectsWanted,
  day: string,
): Expression<SqlBool> {
  const column = `projects.${feature}_access_level` as const;
  const conditions: Expression<SqlBool>[] = [notDeleted()];
  if (nonArchived) conditions.push(eb('projects.archived', '=', 0));
  if (below !== undefined) {
    conditions.push(
      sql<SqlBool>`projects.namespace_id in (
        select n.id from namespaces n where n.lineage >= ${below} and n.lineage < ${`${below}~`})`,
    );
  }
  if (caller.admin) return eb.and([...conditions, eb(column, '!=', 'disabled')]);
  const open = eb('projects.visibility', 'in', openVisibilities(caller));
  const ways: Expression<SqlBool>[] = [eb.and([open, eb(column, 'in', ['enabled', 'public'])])];
  if (caller.user !== null) {
    const { id } = caller.user;
    ways.push(eb.and([eb(column, '!=', 'disabled'), isProjectOf(id, level, day)]));
    if (level > AccessLevel.guest) {
      ways.push(eb.and([open, eb(column, '=', 'private'), isProjectOf(id, AccessLevel.guest, day)]));
    }
  }
  return eb.and([...conditions, eb.or(ways)]);
}

/** Projects that are named one by one at most. */
const FEW_PROJECTS = 2_000;

/**
 * Queries for the ids of the issues (or merge requests) in the projects that the caller may read, where these are a
 * part of all: a source of a list across projects.
 */
export async function placeSources(deps: Deps, caller: Caller, wanted: ProjectsWanted): Promise<Ids[]> {
  if (caller.admin && wanted.below === undefined) return [];
  const day = today(deps.clock);
  const query = deps.db
    .selectFrom('projects')
    .select('projects.id')
    .where((eb) => readableProjects(eb, caller, wanted, day));
  const key = `readable:${day}:${caller.admin ? 'admin' : caller.user?.id}:${JSON.stringify(wanted)}`;
  const rows = await deps.snapshot.get(key, () => query.limit(FEW_PROJECTS + 1).execute());
  const table = sql.table(wanted.feature);
  const [id, project] = [sql.ref(`${wanted.feature}.id`), sql.ref(`${wanted.feature}.project_id`)];
  if (rows.length === 0) return [sql`select ${id} from ${table} where 1 = 0`];
  if (rows.length <= FEW_PROJECTS) {
    return [sql`select ${id} from ${table} where ${project} in (${sql.join(rows.map((row) => row.id))})`];
  }
  return wanted.below === undefined ? [] : [sql`select ${id} from ${table} where ${project} in (${query})`];
}
