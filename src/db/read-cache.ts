import type { DialectAdapter } from 'kysely';
import { SnapshotCache } from '../core/cache/index.ts';
import { readsBookkeeping } from './bookkeeping.ts';
import type { Db } from './db.schema.ts';
import { type Compilable, prepared } from './prepared.ts';

const databases = new WeakMap<DialectAdapter, SnapshotCache>();

/**
 * Enables the cache for a database that can tell whether anything but bookkeeping was written.
 * @param version changes whenever anyone commits more than bookkeeping; null while it is unknown
 */
export function registerStableReads(db: Db, version: () => number | null): void {
  databases.set(db.getExecutor().adapter, new SnapshotCache(version, 'stable_rows'));
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
    const cache = databases.get(db.getExecutor().adapter);
    if (cache === undefined || !cache.remembers) return ask(db, values);
    return copies(await cache.get(name + JSON.stringify(values), () => ask(db, values)));
  };
}

/** Callers may change their rows. */
const copies = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));
