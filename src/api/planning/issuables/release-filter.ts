import { type Expression, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Ids, IssuableTable, Narrowing } from './issuables.filters.ts';

/** A project whose issues or merge requests are listed, with the caller's permissions. */
export interface ListedProject {
  project: Pick<Project, 'id'>;
  permissions: ProjectPermissions;
}

/** Filter by release, for lists of a single project only. */
export const releaseFilter = {
  release_tag: Type.Optional(
    Type.String({ description: 'Tag of a release that contains the milestone; or None, or Any.' }),
  ),
};

/**
 * Filters a list of one project by the milestones of a release. Callers who may not read releases get an empty list.
 * @param tag tag of the release, or `None` or `Any`; undefined for no filter
 */
export function narrowByRelease(
  table: IssuableTable,
  project: ListedProject | undefined,
  tag: string | undefined,
): Narrowing {
  const conditions: Expression<SqlBool>[] = [];
  const sources: Ids[] = [];
  if (project === undefined || tag === undefined || tag === '') return { conditions, sources };
  const word = tag.toLowerCase();
  const column = sql.ref(`${table}.milestone_id`);
  const named = word === 'none' || word === 'any' ? sql`1 = 1` : sql`r.tag = ${tag}`;
  const seen = project.permissions.can('read_release') ? named : sql`1 = 0`;
  const milestones = sql`(select mr.milestone_id from milestone_releases mr join releases r on r.id = mr.release_id
    where r.project_id = ${project.project.id} and ${seen})`;
  if (word === 'none') conditions.push(sql<SqlBool>`(${column} is null or ${column} not in ${milestones})`);
  else {
    conditions.push(sql<SqlBool>`${column} in ${milestones}`);
    const [id, rows] = [sql.ref(`${table}.id`), sql.table(table)];
    sources.push(sql`select ${id} from ${rows} where ${column} in ${milestones}`);
  }
  return { conditions, sources };
}
