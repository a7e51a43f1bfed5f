import type { DialectAdapter } from 'kysely';
import { LRUCache } from 'lru-cache';
import { readsBookkeeping } from './bookkeeping.ts';
import type { Db } from './db.schema.ts';
import { type Compilable, prepared } from './prepared.ts';

const MAX_ANSWERS = 500;

interface Answers {
  /** Changes whenever anyone commits more than bookkeeping; null while it is unknown. */
  version: () => number | null;
  seen: number | null;
  kept: LRUCache<string, readonly object[]>;
}

const databases = new WeakMap<DialectAdapter, Answers>();

/** Enables the cache for a database that can tell whether anything but bookkeeping was written. */
export function registerStableReads(db: Db, version: () => number | null): void {
  databases.set(db.getExecutor().adapter, { version, seen: null, kept: new LRUCache({ max: MAX_ANSWERS }) });
}

let queries = 0;

/**
 * Like `prepared`, for frequent queries whose results seldom change, such as users or protections. On SQLite the rows
 * are cached until anything but bookkeeping is written: most writes only write bookkeeping. Results always equal those
 * of the query.
 * @param build as for `prepared`; must not read bookkeeping, and should return few rows
 */
export function cachedUntilWrite<Values extends object, Row extends object>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const ask = prepared<Values, Row>((db, values) => {
    const query = build(db, values);
    if (readsBookkeeping(query.compile(db)))
      throw new Error('cachedUntilWrite cannot be used for queries that read bookkeeping');
    return query;
  });
  queries += 1;
  const name = `${queries}:`;
  return async (db, values) => {
    const answers = databases.get(db.getExecutor().adapter);
    const version = answers?.version() ?? null;
    if (answers === undefined || version === null) return ask(db, values);
    if (version !== answers.seen) {
      answers.kept.clear();
      answers.seen = version;
    }
    const key = name + JSON.stringify(values);
    const known = answers.kept.get(key) as readonly Row[] | undefined;
    if (known !== undefined) return copies(known);
    const rows = await ask(db, values);
    // Only reads during an unchanged version belong to it.
    if (answers.version() === version && answers.seen === version) answers.kept.set(key, copies(rows));
    return rows;
  };
}

/** Callers may change their rows. */
const copies = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));
