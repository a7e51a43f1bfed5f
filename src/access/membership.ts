import { type Expression, type SqlBool, sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import type { Db } from '../db/schema.ts';
import type { Namespace } from '../db/tables/namespaces.ts';

/** Ids from the root to the namespace, out of `/1/5/9/`. */
export const lineageIds = (lineage: string): number[] => lineage.split('/').filter(Boolean).map(Number);

/** Sorts after every lineage that begins with the text before it. */
export const AFTER_LINEAGE = '~';

/** Groups a user belongs to with the level, by membership of their own or through a shared group. Not inherited ones. */
export const directGroups = (userId: number, day: string) => sql<{ group_id: number; access_level: number }>`
  select source_id as group_id, access_level from members
  where user_id = ${userId} and source_type = 'group' and state = 'active'
    and (expires_at is null or expires_at > ${day})
  union all
  select l.source_id, case when l.group_access < m.access_level then l.group_access else m.access_level end
  from members m
  join group_links l on l.group_id = m.source_id and l.source_type = 'group'
  where m.user_id = ${userId} and m.source_type = 'group' and m.state = 'active'
    and (m.expires_at is null or m.expires_at > ${day})
    and (l.expires_at is null or l.expires_at > ${day})`;

/**
 * The user's highest level in a group: members of it or of a group above it, shares included.
 * @param day today, `YYYY-MM-DD`: memberships end on the day of `expires_at`
 * @returns 0 for none
 */
export async function groupLevel(db: Db, namespace: Namespace, userId: number, day: string): Promise<number> {
  if (namespace.owner_id === userId) return AccessLevel.owner;
  const ids = lineageIds(namespace.lineage);
  const { rows } = await sql<{ level: number | null }>`
    select max(access_level) as level from (${directGroups(userId, day)}) g
    where g.group_id in (${sql.join(ids)})`.execute(db);
  return Number(rows[0]?.level ?? 0);
}

/**
 * The user's highest level in a project: member of it, of a group above it, or of a group that it is shared with.
 * @returns 0 for none
 */
export async function projectLevel(
  db: Db,
  project: { id: number; namespace_id: number },
  namespace: Pick<Namespace, 'lineage' | 'owner_id'>,
  userId: number,
  day: string,
): Promise<number> {
  if (namespace.owner_id === userId) return AccessLevel.owner;
  const ids = lineageIds(namespace.lineage);
  const { rows } = await sql<{ level: number | null }>`
    select max(level) as level from (
      select access_level as level from members
      where source_type = 'project' and source_id = ${project.id} and user_id = ${userId} and state = 'active'
        and (expires_at is null or expires_at > ${day})
      union all
      select access_level from (${directGroups(userId, day)}) g where g.group_id in (${sql.join(ids)})
      union all
      select case when l.group_access < m.access_level then l.group_access else m.access_level end
      from group_links l
      join namespaces s on s.id = l.group_id
      join members m on m.source_type = 'group' and m.user_id = ${userId} and m.state = 'active'
        and s.lineage like '%/' || m.source_id || '/%'
      where l.source_type = 'project' and l.source_id = ${project.id}
        and (l.expires_at is null or l.expires_at > ${day})
        and (m.expires_at is null or m.expires_at > ${day})
    ) levels`.execute(db);
  return Number(rows[0]?.level ?? 0);
}

/** Ids of all groups in which the user has at least the level, those below his own groups included: a subquery. */
export function groupsOf(userId: number, minLevel: number, day: string): Expression<number> {
  return sql<number>`(
    select d.id from namespaces d
    join namespaces o on d.lineage >= o.lineage and d.lineage < o.lineage || ${AFTER_LINEAGE}
    join (${directGroups(userId, day)}) g on g.group_id = o.id
    where g.access_level >= ${minLevel} and d.kind = 'group')`;
}

/** The ways in which a user is a member of projects with at least a level, each a query for their ids. */
const waysToProjects = (userId: number, minLevel: number, day: string) => [
  sql`select source_id as id from members
    where user_id = ${userId} and source_type = 'project' and access_level >= ${minLevel} and state = 'active'
      and (expires_at is null or expires_at > ${day})`,
  sql`select p.id from projects p join namespaces n on n.id = p.namespace_id where n.owner_id = ${userId}`,
  sql`select p.id from projects p where p.namespace_id in ${groupsOf(userId, minLevel, day)}`,
  sql`select l.source_id from group_links l
    join namespaces s on s.id = l.group_id
    join members m on m.source_type = 'group' and m.user_id = ${userId} and m.state = 'active'
      and s.lineage like '%/' || m.source_id || '/%'
    where l.source_type = 'project' and l.group_access >= ${minLevel} and m.access_level >= ${minLevel}
      and (l.expires_at is null or l.expires_at > ${day})
      and (m.expires_at is null or m.expires_at > ${day})`,
];

/** Ids of all projects in which the user has at least the level by any way of membership: a subquery. */
export const projectsOf = (userId: number, minLevel: number, day: string): Expression<number> =>
  sql<number>`(${sql.join(waysToProjects(userId, minLevel, day), sql` union `)})`;

/**
 * The same ids when they are few.
 * @returns null when they are more than `limit` or reached in very many ways, found out without looking at all of them
 */
export async function fewProjectsOf(
  db: Db,
  userId: number,
  minLevel: number,
  day: string,
  limit: number,
): Promise<number[] | null> {
  const ways = waysToProjects(userId, minLevel, day);
  // A project comes once for each way that leads to it. So many rows stand for more projects than wanted, or nearly so.
  const most = ways.length * limit + 1;
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(ways, sql` union all `)}) mine limit ${most}`.execute(db);
  const ids = new Set(rows.map(({ id }) => id));
  return rows.length === most || ids.size > limit ? null : [...ids];
}

/** Whether the user is a member, in any way, of a project in the group or below it. */
export async function hasProjectInside(db: Db, namespace: Namespace, userId: number, day: string): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    select p.id from projects p join namespaces n on n.id = p.namespace_id
    where n.lineage >= ${namespace.lineage} and n.lineage < ${namespace.lineage + AFTER_LINEAGE}
      and p.id in ${projectsOf(userId, AccessLevel.guest, day)}
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Ids of the groups above the projects that the user is a member of, and of those in which he is a member himself:
 * what `hasProjectInside` holds for, as far as `groupsOf` does not hold it already.
 */
export async function groupsAboveProjectsOf(db: Db, userId: number, day: string): Promise<number[]> {
  const { rows } = await sql<{ lineage: string }>`
    select n.lineage from members m
    join projects p on p.id = m.source_id
    join namespaces n on n.id = p.namespace_id and n.kind = 'group'
    where m.user_id = ${userId} and m.source_type = 'project' and m.state = 'active' and m.access_level >= 10
      and (m.expires_at is null or m.expires_at > ${day})
    union
    select n.lineage from members m
    join namespaces s on s.lineage like '%/' || m.source_id || '/%'
    join group_links l on l.group_id = s.id and l.source_type = 'project' and l.group_access >= 10
    join projects p on p.id = l.source_id
    join namespaces n on n.id = p.namespace_id and n.kind = 'group'
    where m.user_id = ${userId} and m.source_type = 'group' and m.state = 'active' and m.access_level >= 10
      and (m.expires_at is null or m.expires_at > ${day}) and (l.expires_at is null or l.expires_at > ${day})
    union
    select o.lineage from namespaces o
    join (${directGroups(userId, day)}) g on g.group_id = o.id
    where o.parent_id is not null and g.access_level >= 10 and exists (
      select 1 from namespaces d join projects p on p.namespace_id = d.id
      where d.lineage >= o.lineage and d.lineage < o.lineage || ${AFTER_LINEAGE})`.execute(db);
  return [...new Set(rows.flatMap(({ lineage }) => lineageIds(lineage)))];
}

/**
 * Whether the user has at least the level in the project of the row at hand, by any way of membership: the same as
 * `projects.id in projectsOf(...)`, without a list of all his projects. For queries from `projects`.
 */
export function isProjectOf(userId: number, minLevel: number, day: string): Expression<SqlBool> {
  return sql<SqlBool>`(projects.namespace_id in ${groupsOf(userId, minLevel, day)}
    or projects.namespace_id in (select n.id from namespaces n where n.owner_id = ${userId})
    or projects.id in (
      select source_id from members
      where user_id = ${userId} and source_type = 'project' and access_level >= ${minLevel} and state = 'active'
        and (expires_at is null or expires_at > ${day}))
    or projects.id in (
      select l.source_id from group_links l
      join namespaces s on s.id = l.group_id
      join members m on m.source_type = 'group' and m.user_id = ${userId} and m.state = 'active'
        and s.lineage like '%/' || m.source_id || '/%'
      where l.source_type = 'project' and l.group_access >= ${minLevel} and m.access_level >= ${minLevel}
        and (l.expires_at is null or l.expires_at > ${day})
        and (m.expires_at is null or m.expires_at > ${day})))`;
}
