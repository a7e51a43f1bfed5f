import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../db/db.schema.ts';
import { notDeleted } from '../db/not-deleted.ts';
import { privateLevel } from './access.abilities.ts';
import { isProjectOf } from './access.membership.ts';
import type { Caller } from './caller.ts';
import { openingPermissions } from './role-permissions.ts';
import { openVisibilities } from './visible-groups.ts';

export interface ReadableProjectsFilter {
  feature: 'issues' | 'merge_requests' | 'releases' | 'repository' | 'snippets' | 'wiki';
  /** Minimum member level for reading that part of a project. */
  level: number;
  /** Only projects in the group of this lineage and its subgroups. */
  below?: string | undefined;
  /** Excludes projects that are archived or pending deletion. */
  nonArchived?: boolean | undefined;
}

/**
 * Condition on projects of which the caller may read a part, in the sense of `read_issue`, `read_merge_request`,
 * `read_code` and the like.
 * @param day today, `YYYY-MM-DD`
 */
export function readableProjects(
  eb: ExpressionBuilder<Schema, 'projects'>,
  caller: Caller,
  { feature, level, below, nonArchived }: ReadableProjectsFilter,
  day: string,
): Expression<SqlBool> {
  const column = `projects.${feature}_access_level` as const;
  const conditions: Expression<SqlBool>[] = [notDeleted()];
  if (nonArchived) conditions.push(eb('projects.archived', '=', 0), eb('projects.in_deletion', '=', 0));
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
    const inPrivate = Math.max(level, privateLevel(feature));
    // A permission that opens the part to lower levels also grants reading it.
    const permissions = openingPermissions(feature);
    const member = isProjectOf(id, { level, permissions }, day);
    if (level === inPrivate) ways.push(eb.and([eb(column, '!=', 'disabled'), member]));
    else {
      ways.push(eb.and([eb(column, 'in', ['enabled', 'public']), member]));
      ways.push(eb.and([eb(column, '=', 'private'), isProjectOf(id, { level: inPrivate, permissions }, day)]));
    }
  }
  return eb.and([...conditions, eb.or(ways)]);
}
