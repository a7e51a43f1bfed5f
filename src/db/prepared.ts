import type { CompiledQuery, DialectAdapter } from 'kysely';
import type { Db } from './db.schema.ts';
import { runQuery } from './direct.ts';

/** Placeholder in a compiled query for a value that is given at execution. */
class Placeholder {
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

/** Parameters of queries for rows by id. */
export interface Ids {
  ids: readonly number[];
}

/**
 * Number of compiled texts kept per query: lists of different lengths, and rows with other columns, make different
 * ones.
 */
const MAX_TEXTS = 20;

/** A built query. */
export interface Compilable<Row> {
  compile(db: Db): CompiledQuery<Row>;
}

/**
 * A query that is built and compiled once per database, for queries of nearly every request or write: building one
 * takes longer than SQLite needs to answer it.
 * @param build builds the query from placeholders for its values (with the same names; lists keep their length). It
 *   must not inspect them, and may only use them as parameters
 * @returns a function that runs it with a handle and returns its rows
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const known = new WeakMap<DialectAdapter, Map<string, CompiledQuery<Row>>>();
  return async (db, values) => {
    const valuesByName = values as Record<string, unknown>;
    const { adapter } = db.getExecutor();
    let texts = known.get(adapter);
    if (texts === undefined) {
      texts = new Map();
      known.set(adapter, texts);
    }
    const shape = shapeOf(valuesByName);
    let query = texts.get(shape);
    if (query === undefined) {
      query = build(db, placesOf(valuesByName) as Values).compile(db);
      if (texts.size < MAX_TEXTS) texts.set(shape, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? value.of(valuesByName) : value));
    return (await runQuery<Row>(db, { ...query, parameters })).rows;
  };
}

/** The part of the values that the text depends on: their names, and the lengths of lists. */
function shapeOf(values: Record<string, unknown>): string {
  let shape = '';
  for (const name in values) {
    const value = values[name];
    shape += Array.isArray(value) ? `${name}:${value.length},` : `${name},`;
  }
  return shape;
}

/** Rows of one kind column by column, as input of a prepared query. */
export type Columns<Row> = { [Name in keyof Row]: readonly Row[Name][] };

/** Converts rows to columns, as input of a prepared query. @param rows at least one, all with the same columns */
export function columnsOf<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const columns: Partial<{ [Name in keyof Row]: Row[Name][] }> = {};
  for (const name of Object.keys(rows[0]!) as (keyof Row)[]) columns[name] = rows.map((row) => row[name]);
  return columns as Columns<Row>;
}

/** Converts columns back to rows, inside the `build` of a prepared query. */
export function rowsOf<Row extends object>(columns: Columns<Row>): Row[] {
  const names = Object.keys(columns) as (keyof Row)[];
  return columns[names[0]!].map((_, at) => Object.fromEntries(names.map((name) => [name, columns[name][at]])) as Row);
}

function placesOf(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((_, index) => new Placeholder(name, index)) : new Placeholder(name, null),
    ]),
  );
}
