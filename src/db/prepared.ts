import type { CompiledQuery, DialectAdapter } from 'kysely';
import type { Db } from './db.schema.ts';
import { runQuery } from './direct.ts';

/** Stands in a compiled query for a value that is given when it runs. */
class Place {
  readonly name: string;
  readonly index: number | null;

  constructor(name: string, index: number | null) {
    this.name = name;
    this.index = index;
  }

  of(values: Record<string, unknown>): unknown {
    const value = values[this.name];
    return this.index === null ? value : (value as readonly unknown[])[this.index];
  }
}

/** What many queries are given: ids of rows. */
export interface Ids {
  ids: readonly number[];
}

/** Texts that are kept of one query: lists of different lengths, and rows with other columns, make different ones. */
const MAX_TEXTS = 20;

/** What has been built of a query. */
export interface Compilable<Row> {
  compile(db: Db): CompiledQuery<Row>;
}

/**
 * A query that is built and compiled once for each database and then only sent: for what nearly every request or write asks.
 * Building one anew takes longer than SQLite needs to answer it.
 * @param build makes the query out of its values. It must not look at them, since it is given something else in their place
 *   (of the same names; lists have their length), nor make anything but parameters of them
 * @returns what runs it with the handle of the database or of a transaction, and gives its rows
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const known = new WeakMap<DialectAdapter, Map<string, CompiledQuery<Row>>>();
  return async (db, values) => {
    const given = values as Record<string, unknown>;
    const { adapter } = db.getExecutor();
    let texts = known.get(adapter);
    if (texts === undefined) {
      texts = new Map();
      known.set(adapter, texts);
    }
    const shape = shapeOf(given);
    let query = texts.get(shape);
    if (query === undefined) {
      query = build(db, placesOf(given) as Values).compile(db);
      if (texts.size < MAX_TEXTS) texts.set(shape, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Place ? value.of(given) : value));
    return (await runQuery<Row>(db, { ...query, parameters })).rows;
  };
}

/** What of the values the text of a query depends on: their names, and the lengths of lists. */
function shapeOf(values: Record<string, unknown>): string {
  let shape = '';
  for (const name in values) {
    const value = values[name];
    shape += Array.isArray(value) ? `${name}:${value.length},` : `${name},`;
  }
  return shape;
}

/** The columns of rows of one kind, each as a list: what a prepared query takes several rows as. */
export type Columns<Row> = { [Name in keyof Row]: readonly Row[Name][] };

/** Rows column by column, to be given to a prepared query. @param rows one or more, with the same columns */
export function columnsOf<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const columns: Partial<{ [Name in keyof Row]: Row[Name][] }> = {};
  for (const name of Object.keys(rows[0]!) as (keyof Row)[]) columns[name] = rows.map((row) => row[name]);
  return columns as Columns<Row>;
}

/** The rows again, within what makes a prepared query. */
export function rowsOf<Row extends object>(columns: Columns<Row>): Row[] {
  const names = Object.keys(columns) as (keyof Row)[];
  return columns[names[0]!].map((_, at) => Object.fromEntries(names.map((name) => [name, columns[name][at]])) as Row);
}

function placesOf(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((_, index) => new Place(name, index)) : new Place(name, null),
    ]),
  );
}
