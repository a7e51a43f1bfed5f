import { type Dialect, type Driver, type Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { SqliteCompiler } from './query-compilers.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import type { DatabaseFile } from './sqlite-file.ts';
import type { SqliteOptions } from './sqlite-handle.ts';

/** Passes queries through: the driver itself makes writers wait, and readers never wait. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Kysely on `node:sqlite`: write-ahead log, one writer and one reader handle. */
export class NodeSqliteDialect implements Dialect {
  readonly #driver: SqliteDriver;

  constructor(options: SqliteOptions) {
    this.#driver = new SqliteDriver(options);
  }

  createDriver(): Driver {
    return this.#driver;
  }

  /** Changes with every commit to the file by any process. Costs 2 microseconds. */
  version(): number {
    return this.#driver.version();
  }

  /** Changes whenever anyone commits more than bookkeeping; null while such a write is in progress. */
  steadyVersion(): number | null {
    return this.#driver.steadyVersion();
  }

  /** See `DatabaseFile`. */
  get file(): DatabaseFile {
    const driver = this.#driver;
    return {
      copyTo: (path) => driver.copyTo(path),
      replaceBy: (path) => driver.replaceBy(path),
      rewind: () => driver.rewind(),
    };
  }

  /** Resolves when all durable commits are flushed, which readers can see slightly earlier; null if they are. */
  onDisk(): Promise<void> | null {
    return this.#driver.onDisk();
  }

  createQueryCompiler() {
    return new SqliteCompiler();
  }

  createAdapter() {
    return new Adapter();
  }

  createIntrospector(db: Kysely<unknown>) {
    return new SqliteIntrospector(db);
  }
}
