import type { SelectQueryBuilder } from 'kysely';

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
): AsyncGenerator<Row[], void, void> {
  type Keyed = Record<string, number | string>;
  const column: string = key;
  const keyed = query as unknown as SelectQueryBuilder<{ rows: Keyed }, 'rows', Keyed>;
  const ordered = keyed.orderBy(column).limit(size);
  for (let next = ordered; ; ) {
    const rows = await next.execute();
    yield rows as unknown as Row[];
    if (rows.length < size) return;
    next = ordered.where(column, '>', rows.at(-1)![column]!);
  }
}
