import type { DialectAdapter } from 'kysely';
import { LRUCache } from 'lru-cache';
import { readsBookkeeping } from './bookkeeping.ts';
import type { Db } from './db.schema.ts';
import { type Compilable, prepared } from './prepared.ts';

const MAX_ANSWERS = 500;

interface Answers {
  /** A number that changes whenever more than bookkeeping is committed, by anyone; null while nobody can tell. */
  version: () => number | null;
  seen: number | null;
  kept: LRUCache<string, readonly object[]>;
}

const databases = new WeakMap<DialectAdapter, Answers>();

/** Has answers of a database kept, which can tell whether anything but bookkeeping has been written. */
export function registerStableReads(db: Db, version: () => number | null): void {
  databases.set(db.getExecutor().adapter, { version, seen: null, kept: new LRUCache({ max: MAX_ANSWERS }) });
}

let queries = 0;

/**
 * As `prepared`, for what is asked again and again and seldom changes: who somebody is, what is protected. On SQLite the rows are kept until
 * anything but bookkeeping is written, in whatever transaction: most writes write nothing else, and each would have all of this read anew. So they
 * are always those that the query would give.
 * @param build as for `prepared`; it reads nothing that is bookkeeping, and gives few rows
 */
export function cachedUntilWrite<Values extends object, Row extends object>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const ask = prepared<Values, Row>((db, values) => {
    const query = build(db, values);
    if (readsBookkeeping(query.compile(db))) throw new Error('a query that gives bookkeeping is not steady');
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
    // Only what was read while the version stood still belongs to it.
    if (answers.version() === version && answers.seen === version) answers.kept.set(key, copies(rows));
    return rows;
  };
}

/** Whoever gets rows may change them. */
const copies = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));
