import { sql } from 'kysely';
import { today } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Deps } from '../../../deps.ts';
import { NOTIFICATION_LEVELS } from '../notification-settings/notification-settings.levels.ts';
import { type Candidate, candidates } from './candidate.ts';
import type { ProjectContext } from './project-context.ts';

/** Maximum number of watchers of a project to notify. */
const MAX_WATCHERS = 20_000;

/**
 * Candidate watchers of a project: users with a watching or custom level for it or an ancestor group, and members with
 * such a global level. Overriding settings and rights are not checked here.
 */
export async function watchersOf(deps: Deps, { project, namespace, groupIds }: ProjectContext): Promise<Candidate[]> {
  const day = today(deps.clock);
  const levels = sql.join([NOTIFICATION_LEVELS.watch, NOTIFICATION_LEVELS.custom]);
  const groups = groupIds.length === 0 ? sql`null` : sql.join(groupIds);
  const alive = sql`m.state = 'active' and (m.expires_at is null or m.expires_at > ${day})`;
  const { rows } = await sql<{ user_id: number }>`
    select user_id from notification_settings
    where level in (${levels})
      and (source_type = 'project' and source_id = ${project.id} or source_type = 'group' and source_id in (${groups}))
    union
    select s.user_id from notification_settings s
    where s.source_type = 'user' and s.source_id = s.user_id and s.level in (${levels}) and s.user_id in (
      select m.user_id from members m where m.source_type = 'project' and m.source_id = ${project.id} and ${alive}
      union select m.user_id from members m where m.source_type = 'group' and m.source_id in (${groups}) and ${alive}
      union select m.user_id from members m
        join group_links l on l.group_id = m.source_id
        where m.source_type = 'group' and ${alive} and (l.expires_at is null or l.expires_at > ${day})
          and (l.source_type = 'project' and l.source_id = ${project.id} or l.source_type = 'group' and l.source_id in (${groups}))
      union select cast(${namespace.owner_id} as integer))
    limit ${MAX_WATCHERS}`.execute(deps.db);
  return candidates(pluck(rows, 'user_id'), 'watch');
}
