import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../../../db/db.schema.ts';
import { COUNT_LIMIT, countOf, type PageRange } from '../../../db/paginate.ts';
import type { Deps } from '../../../deps.ts';
import type { Ids, IssuableTable } from './issuables.filters.ts';
import { inOrder, type OrderTerm } from './issuables.order.ts';

/** Maximum size of a source that is loaded and sorted; larger ones are read along the index of the order. */
const FEW = 500;

/** Rows of a list, before pagination. */
export interface Selection {
  table: IssuableTable;
  /** Conditions on the leading columns of the index of the order (project, state). */
  place: readonly { column: 'project_id' | 'state'; value: number | string }[];
  /** All other conditions. */
  conditions: readonly Expression<SqlBool>[];
  /** Queries for ids that contain all matches. */
  sources: readonly Ids[];
  order: readonly OrderTerm[];
}

/** The first source with few rows. */
async function smallSource(deps: Deps, sources: readonly Ids[]): Promise<Ids | undefined> {
  for (const source of sources) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from (select 1 as one from (${source}) source limit ${FEW + 1}) few`.execute(deps.db);
    if (Number(rows[0]!.n) <= FEW) return source;
  }
  return undefined;
}

const placesOf = ({ table, place }: Selection): Expression<SqlBool>[] =>
  place.map(({ column, value }) => sql<SqlBool>`${sql.ref(`${table}.${column}`)} = ${value}`);

/** Query of the selection along the index of the order. */
export function keysetOrdered<TB extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, TB, O>,
  selection: Selection,
) {
  return query.where((eb) => eb.and([...placesOf(selection), ...selection.conditions]));
}

/**
 * Query of the selection that starts from the ids of a source; its conditions are written so that no other index is
 * used.
 */
function gathering<TB extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, TB, O>,
  selection: Selection,
  source: Ids,
) {
  const { table, place, conditions } = selection;
  const places = place.map(({ column, value }) => {
    const plain = sql.ref(`${table}.${column}`);
    return typeof value === 'number' ? sql<SqlBool>`${plain} + 0 = ${value}` : sql<SqlBool>`${plain} || '' = ${value}`;
  });
  const among = sql<SqlBool>`${sql.ref(`${table}.id`)} in (${source})`;
  return query.where((eb) => eb.and([among, ...places, ...conditions]));
}

/**
 * Loads a page of issues or merge requests. If a filter leaves few rows, they are loaded and sorted; else the table is
 * read in the requested order until the page is full.
 * @param query on the table of the selection, without conditions
 * @returns `total` is at most 10,001
 */
export async function pageOfIssuables<TB extends keyof Schema, O>(
  deps: Deps,
  query: SelectQueryBuilder<Schema, TB, O>,
  selection: Selection,
  page: PageRange,
): Promise<{ rows: O[]; total: number }> {
  const small = await smallSource(deps, selection.sources);
  const base = small === undefined ? keysetOrdered(query, selection) : gathering(query, selection, small);
  const rows = await inOrder(base, selection.table, selection.order).limit(page.size).offset(page.offset).execute();
  if (rows.length > 0 && rows.length < page.size) return { rows, total: page.offset + rows.length };
  return { rows, total: await countIssuables(deps, query, selection, small) };
}

/**
 * Counts the rows of the selection, up to 10,001. Rows of a source are counted one by one up to the limit, never
 * loaded.
 */
export async function countIssuables<TB extends keyof Schema, O>(
  deps: Deps,
  query: SelectQueryBuilder<Schema, TB, O>,
  selection: Selection,
  source: Ids | undefined = selection.sources[0],
): Promise<number> {
  if (source === undefined) return countOf(deps.db, keysetOrdered(query, selection));
  const { table, conditions } = selection;
  const all = [sql`${sql.ref(`${table}.id`)} = source.id`, ...placesOf(selection), ...conditions];
  // A cross join fixes the join order: the source first, then each row by its id.
  const count = sql<{ total: number }>`select count(*) as total from (
    select 1 as one from (${source}) source cross join ${sql.table(table)}
    where ${sql.join(all, sql` and `)} limit ${COUNT_LIMIT}) counted`;
  const { sql: text, parameters } = count.compile(deps.db);
  return deps.snapshot.get(`count:${text}:${JSON.stringify(parameters)}`, async () => {
    const { rows } = await count.execute(deps.db);
    return Number(rows[0]!.total);
  });
}
