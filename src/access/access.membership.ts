import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import { atLevel, type EffectiveMembership, type RolePermission, rolePermissions } from './role-permissions.ts';

/** Ids from the root to the namespace of a lineage such as `/1/5/9/`. */
export const lineageIds = (lineage: string): number[] => lineage.split('/').filter(Boolean).map(Number);

/** Sorts after every lineage with the same prefix. */
export const AFTER_LINEAGE = '~';

/**
 * In queries from `group_links l` joined with `members m`: the level of a group member through the share, at most their
 * own level.
 */
export const SHARED_LEVEL = sql.raw<number>(
  'case when l.group_access < m.access_level then l.group_access else m.access_level end',
);
/**
 * The custom role through the share: the role of the share if the share lowers the level, else the member's own. At
 * equal levels it applies only if the share has a role as well.
 */
export const SHARED_ROLE = sql.raw<number | null>(
  `case when l.group_access < m.access_level then l.member_role_id
    when l.group_access > m.access_level or l.member_role_id is not null then m.member_role_id end`,
);

/**
 * Groups that a user is a direct member of, or through a shared group, with level and custom role. Inherited
 * memberships are not included.
 */
export const directGroups = (userId: number, day: string) => sql<{
  group_id: number;
  access_level: number;
  member_role_id: number | null;
}>`
  select source_id as group_id, access_level, member_role_id from members
  where user_id = ${userId} and source_type = 'group' and state = 'active'
    and (expires_at is null or expires_at > ${day})
  union all
  select l.source_id, ${SHARED_LEVEL}, ${SHARED_ROLE}
  from members m
  join group_links l on l.group_id = m.source_id and l.source_type = 'group'
  where m.user_id = ${userId} and m.source_type = 'group' and m.state = 'active'
    and (m.expires_at is null or m.expires_at > ${day})
    and (l.expires_at is null or l.expires_at > ${day})`;

interface StandingRow {
  level: number;
  permission: string | null;
}

/** @param ways query for `access_level` and `member_role_id` of each membership */
const standingBy = (ways: RawBuilder<unknown>) => sql<StandingRow>`
  select max(w.access_level) as level, p.permission from (${ways}) w
  left join member_role_permissions p on p.member_role_id = w.member_role_id
  group by p.permission`;

/** Combines several memberships into one standing. */
const standingOf = (rows: readonly StandingRow[]): EffectiveMembership => ({
  level: Math.max(0, ...rows.map(({ level }) => Number(level))),
  permissions: rolePermissions(rows.map(({ permission }) => permission)),
});

interface InGroups {
  user: number;
  day: string;
  groups: readonly number[];
}

const inGroup = prepared((_, { user, day, groups }: InGroups) =>
  standingBy(
    sql`select access_level, member_role_id from (${directGroups(user, day)}) g
      where g.group_id in (${sql.join(groups)})`,
  ),
);

/**
 * Effective membership of a user in a group, from the group itself, its ancestors and shares.
 * @param day today, `YYYY-MM-DD`: memberships end on the day of `expires_at`
 */
export async function groupMembership(
  db: Db,
  namespace: Namespace,
  userId: number,
  day: string,
): Promise<EffectiveMembership> {
  if (namespace.owner_id === userId) return atLevel(AccessLevel.owner);
  return standingOf(await inGroup(db, { user: userId, day, groups: lineageIds(namespace.lineage) }));
}

const inProject = prepared((_, { project, user, day, groups }: InGroups & { project: number }) =>
  standingBy(
    sql`select access_level, member_role_id from members
      where source_type = 'project' and source_id = ${project} and user_id = ${user} and state = 'active'
        and (expires_at is null or expires_at > ${day})
      union all
      select access_level, member_role_id from (${directGroups(user, day)}) g where g.group_id in (${sql.join(groups)})
      union all
      select ${SHARED_LEVEL}, ${SHARED_ROLE}
      from group_links l
      join namespaces s on s.id = l.group_id
      join members m on m.source_type = 'group' and m.user_id = ${user} and m.state = 'active'
        and s.lineage like '%/' || m.source_id || '/%'
      where l.source_type = 'project' and l.source_id = ${project}
        and (l.expires_at is null or l.expires_at > ${day})
        and (m.expires_at is null or m.expires_at > ${day})`,
  ),
);

/** Effective membership of a user in a project, from the project, its ancestor groups and groups it is shared with. */
export async function projectMembership(
  db: Db,
  project: { id: number; namespace_id: number },
  namespace: Pick<Namespace, 'lineage' | 'owner_id'>,
  userId: number,
  day: string,
): Promise<EffectiveMembership> {
  if (namespace.owner_id === userId) return atLevel(AccessLevel.owner);
  const groups = lineageIds(namespace.lineage);
  return standingOf(await inProject(db, { project: project.id, user: userId, day, groups }));
}

/** Minimum level of the memberships looked for; also lower ones whose custom role has one of the permissions. */
export type MembershipFilter = number | { level: number; permissions: readonly RolePermission[] };

/** Condition on a membership: it matches the filter. */
function holds(filter: MembershipFilter, level: RawBuilder<unknown>, role: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const { level: least, permissions } = typeof filter === 'number' ? { level: filter, permissions: [] } : filter;
  if (permissions.length === 0) return sql<SqlBool>`${level} >= ${least}`;
  return sql<SqlBool>`(${level} >= ${least} or ${role} in (
    select member_role_id from member_role_permissions where permission in (${sql.join(permissions)})))`;
}

const OWN_LEVEL = sql.raw('access_level');
const OWN_ROLE = sql.raw('member_role_id');

/**
 * Subquery for the ids of all groups with a matching membership of the user, including the subgroups of these groups.
 */
export function groupsOf(userId: number, filter: MembershipFilter, day: string): Expression<number> {
  return sql<number>`(
    select d.id from namespaces d
    join namespaces o on d.lineage >= o.lineage and d.lineage < o.lineage || ${AFTER_LINEAGE}
    join (${directGroups(userId, day)}) g on g.group_id = o.id
    where ${holds(filter, sql.raw('g.access_level'), sql.raw('g.member_role_id'))} and d.kind = 'group')`;
}

/** The kinds of membership in projects that match the filter, each a query for project ids. */
const waysToProjects = (userId: number, filter: MembershipFilter, day: string) => [
  sql`select source_id as id from members
    where user_id = ${userId} and source_type = 'project' and ${holds(filter, OWN_LEVEL, OWN_ROLE)} and state = 'active'
      and (expires_at is null or expires_at > ${day})`,
  sql`select p.id from projects p join namespaces n on n.id = p.namespace_id where n.owner_id = ${userId}`,
  sql`select p.id from projects p where p.namespace_id in ${groupsOf(userId, filter, day)}`,
  sql`select l.source_id from group_links l
    join namespaces s on s.id = l.group_id
    join members m on m.source_type = 'group' and m.user_id = ${userId} and m.state = 'active'
      and s.lineage like '%/' || m.source_id || '/%'
    where l.source_type = 'project' and ${holds(filter, SHARED_LEVEL, SHARED_ROLE)}
      and (l.expires_at is null or l.expires_at > ${day})
      and (m.expires_at is null or m.expires_at > ${day})`,
];

/** Subquery for the ids of all projects with a matching membership of the user of any kind. */
export const projectsOf = (userId: number, filter: MembershipFilter, day: string): Expression<number> =>
  sql<number>`(${sql.join(waysToProjects(userId, filter, day), sql` union `)})`;

/**
 * Returns these ids if there are few of them.
 * @returns null if there are more than `limit` or very many memberships; not all of them are read to find out
 */
export async function fewProjectsOf(
  db: Db,
  userId: number,
  filter: MembershipFilter,
  day: string,
  limit: number,
): Promise<number[] | null> {
  const ways = waysToProjects(userId, filter, day);
  // A project can appear once for each kind of membership, so this many rows mean about as many projects as the limit.
  const maxRows = ways.length * limit + 1;
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(ways, sql` union all `)}) mine limit ${maxRows}`.execute(db);
  const ids = new Set(rows.map(({ id }) => id));
  return rows.length === maxRows || ids.size > limit ? null : [...ids];
}

/** Whether the user is a member of any kind of a project in or below the group. */
export async function hasProjectInside(db: Db, namespace: Namespace, userId: number, day: string): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    select p.id from projects p join namespaces n on n.id = p.namespace_id
    where n.lineage >= ${namespace.lineage} and n.lineage < ${namespace.lineage + AFTER_LINEAGE}
      and p.id in ${projectsOf(userId, AccessLevel.guest, day)}
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Ids of the groups that contain a project the user is a member of, at any depth, and of the user's own groups. These
 * are the groups for which `hasProjectInside` holds, as far as `groupsOf` does not include them already.
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
 * Condition on rows of `projects`: the user has a matching membership of any kind. Equivalent to `projects.id in
 * projectsOf(...)`, without a list of all their projects.
 */
export function isProjectOf(userId: number, filter: MembershipFilter, day: string): Expression<SqlBool> {
  return sql<SqlBool>`(projects.namespace_id in ${groupsOf(userId, filter, day)}
    or projects.namespace_id in (select n.id from namespaces n where n.owner_id = ${userId})
    or projects.id in (
      select source_id from members
      where user_id = ${userId} and source_type = 'project' and ${holds(filter, OWN_LEVEL, OWN_ROLE)} and state = 'active'
        and (expires_at is null or expires_at > ${day}))
    or projects.id in (
      select l.source_id from group_links l
      join namespaces s on s.id = l.group_id
      join members m on m.source_type = 'group' and m.user_id = ${userId} and m.state = 'active'
        and s.lineage like '%/' || m.source_id || '/%'
      where l.source_type = 'project' and ${holds(filter, SHARED_LEVEL, SHARED_ROLE)}
        and (l.expires_at is null or l.expires_at > ${day})
        and (m.expires_at is null or m.expires_at > ${day})))`;
}
