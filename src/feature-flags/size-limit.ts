import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';

/** Maximum total length of all flags and user lists of a project, because clients fetch all of them at once. */
export const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Length added by each row beside its texts. */
const A_ROW = 50;

/** Whether the flags of a project exceed the maximum length for clients; each strategy counts with its user list. */
export async function isTooLong(db: Db, projectId: number): Promise<boolean> {
  const { rows } = await sql<{ size: number | string }>`
    select
      (select coalesce(sum(length(name) + coalesce(length(description), 0) + ${A_ROW}), 0)
        from feature_flags where project_id = ${projectId})
      + (select coalesce(sum(length(name) + length(user_xids) + ${A_ROW}), 0)
        from feature_flag_user_lists where project_id = ${projectId})
      + (select coalesce(sum(length(s.parameters) + coalesce(length(l.user_xids), 0) + ${A_ROW}), 0)
        from feature_flags f
        join feature_flag_strategies s on s.feature_flag_id = f.id
        left join feature_flag_user_lists l on l.id = s.user_list_id
        where f.project_id = ${projectId})
      + (select coalesce(sum(length(c.environment_scope) + ${A_ROW}), 0)
        from feature_flags f
        join feature_flag_strategies s on s.feature_flag_id = f.id
        join feature_flag_scopes c on c.strategy_id = s.id
        where f.project_id = ${projectId}) as size`.execute(db);
  return Number(rows[0]!.size) > MAX_CHARACTERS;
}
