import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { EntryCache } from '../core/cache/index.ts';

export interface SqliteOptions {
  path: string;
  /** Whether commits wait for the disk. Off for throw-away data only. */
  durable: boolean;
}

/** Maximum size of the log file after a checkpoint, also if a reader had delayed it. */
const LOG_BYTES = 32 * 1024 * 1024;

interface Prepared {
  statement: StatementSync;
  /** Whether it returns rows. Cached, because describing the columns takes ten times as long as reading a row. */
  givesRows: boolean;
}

/** An open file with its recently used prepared statements. */
export class Handle implements DatabaseConnection {
  #database!: DatabaseSync;
  readonly #options: SqliteOptions;
  readonly #readOnly: boolean;
  readonly #statements = new EntryCache<string, Prepared>('sql_statements');

  constructor(options: SqliteOptions, readOnly: boolean) {
    this.#options = options;
    this.#readOnly = readOnly;
    this.open();
  }

  get database(): DatabaseSync {
    return this.#database;
  }

  /** Opens the file again after `close`. */
  open(): void {
    const { path, durable } = this.#options;
    this.#database = new DatabaseSync(path, { timeout: 10_000 });
    // The log and its index get the same mode.
    const { mode, uid } = statSync(path);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, 0o600);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durable ? 'NORMAL' : 'OFF'};
      PRAGMA foreign_keys = ON;
      PRAGMA cache_size = -16384;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = ${LOG_BYTES};
      PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF;
      ${this.#readOnly ? 'PRAGMA query_only = ON;' : ''}
    `);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, givesRows } = this.prepared(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (givesRows) {
      const rows = statement.all(...parameters) as R[];
      return query.query.kind === 'SelectQueryNode' ? { rows } : { rows, numAffectedRows: BigInt(rows.length) };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.run(query);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('queries are not streamed');
  }
}
