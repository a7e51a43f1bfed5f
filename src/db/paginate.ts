import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './db.schema.ts';
import type { SnapshotCache } from './snapshot-cache.ts';

/** Rows that are counted at most: one more than the totals that answers show (part 1, section 8). */
export const COUNT_LIMIT = 10_001;

/**
 * One page of a query and how many rows it has in all. Filter with subqueries, not with joins that multiply rows, and
 * give it an order that is total (end it with the id).
 * @returns `total` is 10,001 where there are more rows than are counted
 */
export async function pageOf<DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  page: { offset: number; size: number },
): Promise<{ rows: O[]; total: number }> {
  const rows = await query.limit(page.size).offset(page.offset).execute();
  // A page that is not full, and not past the end, tells the total by itself.
  if (rows.length > 0 && rows.length < page.size) {
    return { rows, total: Math.min(page.offset + rows.length, COUNT_LIMIT) };
  }
  return { rows, total: await countOf(db, query) };
}

/** Counts of a database handle that hold until something is committed. */
const memories = new WeakMap<Db, SnapshotCache>();

/** Lets counts by this handle be remembered until the next commit; those within transactions are not. */
export function rememberCounts(db: Db, memory: SnapshotCache): void {
  memories.set(db, memory);
}

/** How many rows the query has, at most 10,001. */
export async function countOf<DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const { distinctOn, frontModifiers, groupBy, setOperations } = query.toOperationNode();
  const plain = [distinctOn, frontModifiers, groupBy, setOperations].every((part) => part === undefined);
  const unordered = query.clearOrderBy();
  const counted = plain ? unordered.clearSelect().select(sql<number>`1`.as('one')) : unordered;
  const limited = counted.limit(COUNT_LIMIT);
  const count = async () => {
    const { rows } = await sql<{ total: number }>`select count(*) as total from (${limited}) counted`.execute(db);
    return Number(rows[0]!.total);
  };
  const memory = memories.get(db);
  if (memory === undefined) return count();
  const { sql: text, parameters } = limited.compile();
  return memory.get(`count:${text}:${JSON.stringify(parameters)}`, count);
}
