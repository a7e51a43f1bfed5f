import { type SelectQueryBuilder, sql } from 'kysely';
import type { SnapshotCache } from '../core/cache/index.ts';
import type { Db } from './db.schema.ts';

/** Number of rows above which totals are left out of answers (part 1, section 8). */
export const MAX_COUNTED = 10_000;
/** Maximum number of rows counted. */
export const COUNT_LIMIT = MAX_COUNTED + 1;

/** The rows of a page: how many are before it, and its size. */
export interface PageRange {
  offset: number;
  size: number;
}

/**
 * One page of a query and the total number of rows. The query must filter with subqueries rather than joins that
 * multiply rows, and have a total order (ending with the id).
 * @returns `total` is 10,001 if there are more rows than are counted
 */
export async function pageOf<DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  page: PageRange,
): Promise<{ rows: O[]; total: number }> {
  const rows = await query.limit(page.size).offset(page.offset).execute();
  // An incomplete page that is not past the end implies the total.
  if (rows.length > 0 && rows.length < page.size) {
    return { rows, total: Math.min(page.offset + rows.length, COUNT_LIMIT) };
  }
  return { rows, total: await countOf(db, query) };
}

/** Caches of counts by handle until the next commit. */
const memories = new WeakMap<Db, SnapshotCache>();

/** Enables caching of counts for a handle until the next commit; counts inside transactions are not cached. */
export function rememberCounts(db: Db, memory: SnapshotCache): void {
  memories.set(db, memory);
}

/** Number of rows of a query, at most 10,001. */
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
