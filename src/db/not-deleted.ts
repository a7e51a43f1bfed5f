import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Condition that a project is not being deleted, for queries that find projects by something else. Nearly all fit it, so
 * it is written so that no database starts from an index for it.
 * @param table name of `projects` in the query
 */
export const notDeleted = (table = 'projects'): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(`${table}.pending_delete`)} + 0 = 0`;
