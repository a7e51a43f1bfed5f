import type { Db, Schema } from '../../../src/db/db.schema.ts';

/** How many rows there shall be. */
export interface Amounts {
  projects: number;
  issues: number;
  mergeRequests: number;
  events: number;
  snippets: number;
  /** Of pipelines of the big project. */
  jobs: number;
  packages: number;
}

/** Users that write things; the first is ana. */
export const USERS = 30;
/** Labels, milestones and rules of the big project. */
export const LABELS = 5;
const START = Date.UTC(2024, 0, 1);
const WORDS = ['parser', 'crash', 'slow', 'login', 'cache', 'button', 'upload', 'timeout', 'colour', 'index'];

/** More numbers than bound values of one statement may be. */
const MAX_VALUES = 20_000;
/** Every fifth thing belongs to the big project, in a mix that is always the same. */
export const inBigProject = (n: number) => n % 5 === 0;
/** One of the labels or milestones of the big project: every fifth thing is in it. */
export const inTurn = (n: number) => 100 + (Math.floor(n / 5) % LABELS);
/** Instants a minute apart. */
export const at = (n: number) => new Date(START + n * 60_000).toISOString();
/** One of a few words. */
export const word = (n: number) => WORDS[n % WORDS.length]!;

export type Row = Record<string, string | number | null>;

/** The numbers below `to`. */
export function* count(to: number): Generator<number> {
  for (let n = 0; n < to; n += 1) yield n;
}

/** A row for each number below `to`, where there is one. */
export function* rowsOf(to: number, row: (n: number) => Row | null): Generator<Row> {
  for (const n of count(to)) {
    const made = row(n);
    if (made !== null) yield made;
  }
}

/** Writes rows in as few statements as fit. */
export async function insert(db: Db, table: keyof Schema, rows: Iterable<Row>): Promise<void> {
  let batch: Row[] = [];
  const write = async () => {
    if (batch.length > 0) {
      await db
        .insertInto(table)
        .values(batch as never)
        .execute();
    }
    batch = [];
  };
  for (const row of rows) {
    batch.push(row);
    if (batch.length * Object.keys(row).length > MAX_VALUES) await write();
  }
  await write();
}
