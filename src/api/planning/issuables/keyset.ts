import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { invalidParameter } from '../../../core/errors.ts';
import type { Schema } from '../../../db/schema.ts';
import type { IssuableTable } from './filters.ts';
import type { OrderTerm } from './order.ts';

/** Where a keyset page ended: the value sorted by, and the id. */
export interface Cursor {
  value: string | number | null;
  id: number;
}

const MAX_CURSOR = 2_000;

export const writeCursor = ({ value, id }: Cursor): string =>
  Buffer.from(JSON.stringify([value, id])).toString('base64url');

/** @throws ApiError 400 for what is no cursor of ours */
export function readCursor(text: string): Cursor {
  try {
    if (text.length > MAX_CURSOR) throw new Error('too long');
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 2) throw new Error('no pair');
    const [value, id] = parsed as [unknown, unknown];
    const known = value === null || typeof value === 'string' || Number.isSafeInteger(value);
    if (!known || !Number.isSafeInteger(id)) throw new Error('no values');
    if (typeof value === 'string' && value.includes('\0')) throw new Error('no text');
    return { value: value as Cursor['value'], id: id as number };
  } catch {
    throw invalidParameter('cursor is invalid');
  }
}

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
