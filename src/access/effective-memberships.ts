import { sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import type { Db } from '../db/db.schema.ts';
import { SHARED_LEVEL, SHARED_ROLE } from './access.membership.ts';
import { atLevel, type EffectiveMembership, rolePermissions } from './role-permissions.ts';

const NOBODY = atLevel(0);
/** Users per query: each appears in it several times, and the number of parameters of a statement is limited. */
const BATCH = 500;

/**
 * Effective memberships of many users in many projects, in the sense of `projectMembership`; one query for 500 users.
 * The level of administrators is not included.
 * @param day today, `YYYY-MM-DD`
 * @returns standings by user, by project; without non-members
 */
export async function effectiveMemberships(
  db: Db,
  projectIds: readonly number[],
  userIds: readonly number[],
  day: string,
): Promise<Map<number, Map<number, EffectiveMembership>>> {
  const standings = new Map(projectIds.map((id) => [id, new Map<number, EffectiveMembership>()]));
  for (let at = 0; at < userIds.length && projectIds.length > 0; at += BATCH) {
    const rows = await levelsOfSome(db, projectIds, userIds.slice(at, at + BATCH), day);
    for (const row of rows) add(standings.get(row.project_id), row);
  }
  return standings;
}

interface LevelRow {
  project_id: number;
  user_id: number;
  level: number;
  /** Permission of one of their roles: one row for each, and one row for all memberships without a role. */
  permission: string | null;
}

/** Merges a row into the known standing of a user. */
function add(known: Map<number, EffectiveMembership> | undefined, { user_id, level, permission }: LevelRow): void {
  const before = known?.get(user_id) ?? NOBODY;
  const permissions = rolePermissions([...before.permissions, permission]);
  known?.set(user_id, { level: Math.max(before.level, Number(level)), permissions });
}

async function levelsOfSome(
  db: Db,
  projectIds: readonly number[],
  userIds: readonly number[],
  day: string,
): Promise<LevelRow[]> {
  const projects = sql.join(projectIds);
  const users = sql.join(userIds);
  const member = sql`m.state = 'active' and m.user_id in (${users}) and (m.expires_at is null or m.expires_at > ${day})`;
  const shared = sql`(l.expires_at is null or l.expires_at > ${day})`;
  const { rows } = await sql<LevelRow>`
    select project_id, user_id, p.permission, max(level) as level from (
      select n.project_id, n.owner_id as user_id, ${sql.lit(AccessLevel.owner)} as level, cast(null as integer) as role_id from (
        select p.id as project_id, o.owner_id from projects p join namespaces o on o.id = p.namespace_id
        where p.id in (${projects})) n
      where n.owner_id in (${users})
      union all
      select m.source_id, m.user_id, m.access_level, m.member_role_id from members m
      where m.source_type = 'project' and m.source_id in (${projects}) and ${member}
      union all
      select p.id, g.user_id, g.level, g.role_id from projects p
      join namespaces n on n.id = p.namespace_id
      join (
        select m.user_id, m.source_id as group_id, m.access_level as level, m.member_role_id as role_id from members m
        where m.source_type = 'group' and ${member}
        union all
        select m.user_id, l.source_id, ${SHARED_LEVEL}, ${SHARED_ROLE} from members m
        join group_links l on l.group_id = m.source_id and l.source_type = 'group' and ${shared}
        where m.source_type = 'group' and ${member}
      ) g on n.lineage like '%/' || g.group_id || '/%'
      where p.id in (${projects})
      union all
      select l.source_id, m.user_id, ${SHARED_LEVEL}, ${SHARED_ROLE} from group_links l
      join namespaces s on s.id = l.group_id
      join members m on m.source_type = 'group' and s.lineage like '%/' || m.source_id || '/%'
      where l.source_type = 'project' and l.source_id in (${projects}) and ${shared} and ${member}
    ) found
    left join member_role_permissions p on p.member_role_id = found.role_id
    group by project_id, user_id, p.permission`.execute(db);
  return rows;
}
