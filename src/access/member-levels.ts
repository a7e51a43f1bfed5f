import { sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import type { Db } from '../db/schema.ts';

/** Users of one query: each stands in it several times, and the number of values in a statement is limited. */
const BATCH = 500;

/**
 * The highest levels of many users in many projects, by every way that `projectLevel` knows; one query for 500 users.
 * Rights of administrators are not levels and not in it.
 * @param day today, `YYYY-MM-DD`
 * @returns levels by user, by project; whoever has none is left out
 */
export async function memberLevels(
  db: Db,
  projectIds: readonly number[],
  userIds: readonly number[],
  day: string,
): Promise<Map<number, Map<number, number>>> {
  const levels = new Map(projectIds.map((id) => [id, new Map<number, number>()]));
  for (let at = 0; at < userIds.length && projectIds.length > 0; at += BATCH) {
    const rows = await levelsOfSome(db, projectIds, userIds.slice(at, at + BATCH), day);
    for (const { project_id, user_id, level } of rows) levels.get(project_id)?.set(user_id, Number(level));
  }
  return levels;
}

interface LevelRow {
  project_id: number;
  user_id: number;
  level: number;
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
  const lesser = sql.raw('case when l.group_access < m.access_level then l.group_access else m.access_level end');
  const { rows } = await sql<LevelRow>`
    select project_id, user_id, max(level) as level from (
      select n.project_id, n.owner_id as user_id, ${sql.lit(AccessLevel.owner)} as level from (
        select p.id as project_id, o.owner_id from projects p join namespaces o on o.id = p.namespace_id
        where p.id in (${projects})) n
      where n.owner_id in (${users})
      union all
      select m.source_id, m.user_id, m.access_level from members m
      where m.source_type = 'project' and m.source_id in (${projects}) and ${member}
      union all
      select p.id, g.user_id, g.level from projects p
      join namespaces n on n.id = p.namespace_id
      join (
        select m.user_id, m.source_id as group_id, m.access_level as level from members m
        where m.source_type = 'group' and ${member}
        union all
        select m.user_id, l.source_id, ${lesser} from members m
        join group_links l on l.group_id = m.source_id and l.source_type = 'group' and ${shared}
        where m.source_type = 'group' and ${member}
      ) g on n.lineage like '%/' || g.group_id || '/%'
      where p.id in (${projects})
      union all
      select l.source_id, m.user_id, ${lesser} from group_links l
      join namespaces s on s.id = l.group_id
      join members m on m.source_type = 'group' and s.lineage like '%/' || m.source_id || '/%'
      where l.source_type = 'project' and l.source_id in (${projects}) and ${shared} and ${member}
    ) found group by project_id, user_id`.execute(db);
  return rows;
}
