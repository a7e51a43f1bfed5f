import type { Kysely, Selectable } from 'kysely';
import type { Db, Schema } from './db.schema.ts';

type TableWithId = { [T in keyof Schema]: Schema[T] extends { id: unknown } ? T : never }[keyof Schema];
type RowOf<T extends TableWithId> = Selectable<Schema[T]>;

/** Ids in one query: each is a parameter, which both databases limit. */
const BATCH_SIZE = 10_000;

/**
 * Loads rows of a table by id, with one query, or none without ids; nulls, repetitions and unknown ids are left out.
 * @param columns what is loaded beside the id; all columns by default
 */
export async function rowsById<T extends TableWithId, Column extends keyof RowOf<T> = keyof RowOf<T>>(
  db: Db,
  table: T,
  ids: Iterable<number | null>,
  columns?: readonly Column[],
): Promise<Map<number, Pick<RowOf<T>, Column | ('id' & keyof RowOf<T>)>>> {
  const distinctIds = [...new Set(ids)].filter((id) => id !== null);
  const from = (db as unknown as Kysely<{ rows: { id: number } }>).selectFrom(table as 'rows');
  const query = columns === undefined ? from.selectAll() : from.select(['id', ...(columns as readonly 'id'[])]);
  const rows = new Map<number, { id: number }>();
  for (let at = 0; at < distinctIds.length; at += BATCH_SIZE) {
    const batch = await query.where('id', 'in', distinctIds.slice(at, at + BATCH_SIZE)).execute();
    for (const row of batch) rows.set(row.id, row);
  }
  return rows as unknown as Map<number, Pick<RowOf<T>, Column | ('id' & keyof RowOf<T>)>>;
}
