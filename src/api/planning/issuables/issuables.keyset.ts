import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../../../db/db.schema.ts';
import type { Cursor } from '../../../http/http.cursor.ts';
import type { IssuableTable } from './issuables.filters.ts';
import type { OrderTerm } from './issuables.order.ts';

/** The rows after the cursor, in the order of the term and then of the id. */
export function after<TB extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, TB, O>,
  table: IssuableTable,
  term: OrderTerm,
  cursor: Cursor,
): SelectQueryBuilder<Schema, TB, O> {
  const id = sql.ref(`${table}.id`);
  const beyond = term.direction === 'asc' ? sql`>` : sql`<`;
  if (cursor.value === null) {
    return query.where(() => sql<SqlBool>`(${term.value} is null and ${id} ${beyond} ${cursor.id})`);
  }
  const further = sql<SqlBool>`(${term.value}, ${id}) ${beyond} (${cursor.value}, ${cursor.id})`;
  return query.where(() => (term.nullable ? sql<SqlBool>`(${further} or ${term.value} is null)` : further));
}
