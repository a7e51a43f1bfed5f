import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Condition that a project is not being deleted, for queries with other conditions. It holds for nearly all projects,
 * so it is written in a way that no index is used for it.
 * @param table alias of `projects` in the query
 */
export const notDeleted = (table = 'projects'): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(`${table}.pending_delete`)} + 0 = 0`;
