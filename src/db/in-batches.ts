import { type SelectQueryBuilder, type Simplify, sql } from 'kysely';

/**
 * Reads all rows of a query in batches, each with a query of its own, in the order of a column. The next batch is read
 * when it is asked for.
 * @param query a query without order and limit that selects the column
 * @param key the column: one that no two rows share
 */
export async function* inBatches<DB, TB extends keyof DB, Row extends Record<Key, number | string>, Key extends string>(
  query: SelectQueryBuilder<DB, TB, Row>,
  size: number,
  key: Key,
): AsyncGenerator<Simplify<Row>[], void, void> {
  const column = sql.ref<number | string>(key);
  const ordered = query.orderBy(column).limit(size);
  for (let next = ordered; ; ) {
    const rows = await next.execute();
    yield rows;
    const last: Row | undefined = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    next = ordered.where(column, '>', last[key]);
  }
}
