import { PUSH_RULE_FLAGS, PUSH_RULE_PATTERNS } from '../../db/tables/push-rules.table.ts';
import { pagedRelation } from './relation.ts';

/** The push rule of a project, if it has its own. */
export const pushRule = pagedRelation('push_rule', async ({ db, portable }, after) => {
  const rows = await db
    .selectFrom('push_rules')
    .selectAll()
    .where('project_id', '=', portable.id)
    .where('id', '>', after)
    .execute();
  return rows.map((row) => ({
    key: row.id,
    object: {
      ...Object.fromEntries(PUSH_RULE_PATTERNS.map((name) => [name, row[name]])),
      ...Object.fromEntries(PUSH_RULE_FLAGS.map((name) => [name, row[name] === 1])),
      max_file_size: row.max_file_size,
      created_at: row.created_at,
      updated_at: row.updated_at,
    },
  }));
});
