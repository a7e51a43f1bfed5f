import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  type TransactionSettings,
} from 'kysely';
import { releaseWhenIdle } from '../core/idle-memory.ts';
import { isBookkeeping } from './bookkeeping.ts';
import { LogFile } from './log-file.ts';
import { SqliteCompiler } from './query-compilers.ts';
import { Handle, type SqliteOptions } from './sqlite-handle.ts';
import { WriteMutex } from './write-mutex.ts';

/**
 * The level of isolation that transactions have whose commit need not be on disk. Nothing else sets any: on SQLite there is
 * one for all, and settings of a transaction are the only thing that Kysely hands to a driver with it.
 */
export const UNSYNCED = 'read uncommitted';

/**
 * Two handles on one file: reads outside a transaction see the last committed state and never wait; writes and
 * transactions take the other handle one after the other. A commit is written to the log by SQLite and put on disk by
 * `LogFile`: the event loop goes on meanwhile, and so does the next transaction, which may be put there with it.
 */
class SqliteDriver implements Driver {
  readonly #options: SqliteOptions;
  readonly #mutex = new WriteMutex();
  #writer!: Handle;
  #reader!: Handle;
  #log: LogFile | null = null;
  #unregister: () => void = () => {};
  #version: number | null = null;
  /** What the file says of commits by other processes, in this turn. */
  #foreign: number | null = null;
  #foreignSeen: number | null = null;
  /** Counts commits of more than bookkeeping. */
  #steady = 0;
  /** Whether the transaction that is open has written more than that. */
  #unsteady = false;
  readonly #forget = () => {
    this.#version = null;
    this.#foreign = null;
  };
  readonly #told: DriverHooks = {
    begun: () => {
      this.#foreign = null;
    },
    writes: (query) => {
      if (!this.#unsteady && !isBookkeeping(query)) this.#unsteady = true;
    },
    committed: (synced) => {
      this.#version = null;
      this.#told.ended();
      // What does not have to be there itself waits for what it may build on.
      return (synced ? this.#log?.flush() : this.#log?.pending) ?? undefined;
    },
    ended: () => {
      // Also where it was undone, which changes nothing: that is seldom.
      if (this.#unsteady) this.#steady += 1;
      this.#unsteady = false;
    },
  };

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {
    this.#writer = new Handle(this.#options, false);
    this.#reader = new Handle(this.#options, true);
    this.#reader.database.exec('SELECT count(*) FROM sqlite_master');
    if (this.#options.durable) this.#log = new LogFile(this.#options.path);
    this.#unregister = releaseWhenIdle(() => {
      for (const { database } of [this.#reader, this.#writer]) database.exec('PRAGMA shrink_memory');
    });
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(this.#reader, this.#writer, this.#mutex, this.#told);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await (connection as Connection).begin(settings.isolationLevel !== UNSYNCED);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).rollback();
  }

  async releaseConnection(): Promise<void> {}

  /**
   * A number that changes with every commit by anyone, this process or another. The file is asked once in each turn of
   * the event loop, and again after every commit of this process.
   */
  version(): number {
    if (this.#version === null) {
      const row = this.#reader.prepared('PRAGMA data_version').statement.get() as { data_version: number };
      this.#version = row.data_version;
      setImmediate(this.#forget);
    }
    return this.#version;
  }

  /**
   * A number that changes whenever more than bookkeeping is committed, by anyone; null while such writes are under way. Other processes are
   * asked after once in each turn of the event loop, and in each transaction.
   */
  steadyVersion(): number | null {
    if (this.#unsteady || this.#writer === undefined) return null;
    if (this.#foreign === null) {
      // Of the handle that writes, this number tells of others' commits alone.
      const row = this.#writer.prepared('PRAGMA data_version').statement.get() as { data_version: number };
      this.#foreign = row.data_version;
      if (this.#foreign !== this.#foreignSeen) this.#steady += 1;
      this.#foreignSeen = this.#foreign;
      setImmediate(this.#forget);
    }
    return this.#steady;
  }

  /** When all is on disk that was committed to be there; null where it is. */
  onDisk(): Promise<void> | null {
    return this.#log?.pending ?? null;
  }

  async destroy(): Promise<void> {
    this.#unregister();
    await this.#log?.pending?.catch(() => {});
    this.#log?.close();
    this.#reader?.database.close();
    this.#writer?.database.close();
  }
}

/** Whether a query only reads: SQLite's `select` cannot write, built by hand or not. */
const isRead = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql));

/** Who is told of transactions. */
interface DriverHooks {
  begun(): void;
  /** Of each query that may write, before it runs. */
  writes(query: CompiledQuery): void;
  /** @param synced whether it has to be put on disk; @returns when it is there */
  committed(synced: boolean): Promise<void> | undefined;
  /** Of one that was undone. */
  ended(): void;
}

class Connection implements DatabaseConnection {
  #inTransaction = false;
  #synced = true;
  readonly #reader: Handle;
  readonly #writer: Handle;
  readonly #mutex: WriteMutex;
  readonly #told: DriverHooks;

  constructor(reader: Handle, writer: Handle, mutex: WriteMutex, versions: DriverHooks) {
    this.#reader = reader;
    this.#writer = writer;
    this.#mutex = mutex;
    this.#told = versions;
  }

  async begin(synced: boolean): Promise<void> {
    await this.#mutex.lock();
    try {
      this.#writer.database.exec('BEGIN IMMEDIATE');
      this.#inTransaction = true;
      this.#synced = synced;
      this.#told.begun();
    } catch (error) {
      this.#mutex.unlock();
      throw error;
    }
  }

  /** Others begin before it is on disk, when it fulfils. */
  commit(): Promise<void> | undefined {
    if (!this.#inTransaction) return undefined;
    // One that fails leaves the transaction open; Kysely rolls it back then.
    this.#writer.database.exec('COMMIT');
    this.#inTransaction = false;
    this.#mutex.unlock();
    return this.#told.committed(this.#synced);
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    try {
      if (this.#writer.database.isTransaction) this.#writer.database.exec('ROLLBACK');
    } finally {
      this.#told.ended();
      this.#mutex.unlock();
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction) {
      if (!isRead(query)) this.#told.writes(query);
      return this.#writer.run(query);
    }
    if (isRead(query)) return this.#reader.run(query);
    const { result, onDisk } = await this.#write<R>(query);
    await onDisk;
    return result;
  }

  async #write<R>(query: CompiledQuery): Promise<{ result: QueryResult<R>; onDisk: Promise<void> | undefined }> {
    await this.#mutex.lock();
    try {
      this.#told.writes(query);
      const result = this.#writer.run<R>(query);
      return { result, onDisk: this.#told.committed(true) };
    } finally {
      // Of one that failed.
      this.#told.ended();
      this.#mutex.unlock();
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#reader.streamQuery<R>();
  }
}

/** Lets queries through as they come: the driver itself has writers wait, and has reads wait for nobody. */
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

  /** A number that changes with every commit to the file, by this process or another. Costs 2 microseconds. */
  version(): number {
    return this.#driver.version();
  }

  /** A number that changes whenever more than bookkeeping is committed, by anyone; null while such writes are under way. */
  steadyVersion(): number | null {
    return this.#driver.steadyVersion();
  }

  /** When all is on disk that was committed to be there: others see it a moment before. Null where it is. */
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
