import { type Selectable, sql } from 'kysely';
import type { Db, Schema } from './db.schema.ts';

type TableWithId = { [T in keyof Schema]: Schema[T] extends { id: unknown } ? T : never }[keyof Schema];
type RowOf<T extends TableWithId> = Selectable<Schema[T]>;

/** Ids in one query: each is a parameter, which both databases limit. */
const BATCH_SIZE = 10_000;

/**
 * Loads rows of a table by id, with one query, or none without ids; nulls, repetitions and unknown ids are left out.
 * @param columns what is loaded beside the id; all columns by default
 */
export async function rowsById<T extends TableWithId, Column extends keyof RowOf<T> & string>(
  db: Db,
  table: T,
  ids: Iterable<number | null>,
  columns?: readonly Column[],
): Promise<Map<number, { id: number } & Pick<RowOf<T>, Column>>> {
  const distinctIds = [...new Set(ids)].filter((id) => id !== null);
  const selected = columns === undefined ? sql`*` : sql.join(['id', ...columns].map((column) => sql.ref(column)));
  const byId = new Map<number, { id: number } & Pick<RowOf<T>, Column>>();
  for (let at = 0; at < distinctIds.length; at += BATCH_SIZE) {
    const batch = sql.join(distinctIds.slice(at, at + BATCH_SIZE));
    const { rows } = await sql<{ id: number } & Pick<RowOf<T>, Column>>`
      select ${selected} from ${sql.table(table)} where id in (${batch})`.execute(db);
    for (const row of rows) byId.set(row.id, row);
  }
  return byId;
}
