import type { CompiledQuery, DatabaseConnection, Driver, Kysely, QueryResult } from 'kysely';
import { releaseWhenIdle } from '../core/idle-memory.ts';
import { isBookkeeping } from './bookkeeping.ts';
import { areFlushesDeferred } from './deferred-flushes.ts';
import { LogFile } from './log-file.ts';
import { copyDatabase, DroppableLog, moveDatabase } from './sqlite-file.ts';
import { Handle, type SqliteOptions } from './sqlite-handle.ts';
import { WriteMutex } from './write-mutex.ts';

/**
 * Two handles on one file: reads outside a transaction see the last committed state and never wait; writes and
 * transactions take turns on the other handle. SQLite writes commits to the log and `LogFile` flushes them: the event
 * loop and the next transaction continue meanwhile, which may share the flush.
 */
export class SqliteDriver implements Driver {
  readonly #options: SqliteOptions;
  readonly #mutex = new WriteMutex();
  #writer!: Handle;
  #reader!: Handle;
  #log: LogFile | null = null;
  readonly #droppable: DroppableLog;
  #unregister: () => void = () => {};
  #version: number | null = null;
  /** Added to the versions of the file that is open now. */
  #base = 0;
  /** The version of commits by other processes, in this turn of the event loop. */
  #foreign: number | null = null;
  #foreignSeen: number | null = null;
  /** Counts commits of more than bookkeeping. */
  #steady = 0;
  /** Whether the open transaction has written more than bookkeeping. */
  #unsteady = false;
  readonly #forget = () => {
    this.#version = null;
    this.#foreign = null;
  };
  readonly #hooks: DriverHooks = {
    begun: () => {
      this.#foreign = null;
    },
    writes: (query) => {
      if (!this.#unsteady && !isBookkeeping(query)) this.#unsteady = true;
    },
    committed: (synced) => {
      this.#version = null;
      this.#hooks.ended();
      // A commit that need not be flushed itself waits for those it may depend on.
      return (synced ? this.#log?.flush() : this.#log?.pending) ?? undefined;
    },
    ended: () => {
      // Also after a rollback, which is rare.
      if (this.#unsteady) this.#steady += 1;
      this.#unsteady = false;
    },
  };

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#droppable = new DroppableLog(options);
  }

  async init(): Promise<void> {
    this.#writer = new Handle(this.#options, false);
    this.#reader = new Handle(this.#options, true);
    this.#openLog();
    this.#unregister = releaseWhenIdle(() => {
      for (const { database } of [this.#reader, this.#writer]) database.exec('PRAGMA shrink_memory');
    });
  }

  #openLog(): void {
    this.#reader.database.exec('SELECT count(*) FROM sqlite_master');
    if (this.#options.durable) this.#log = new LogFile(this.#options.path);
  }

  /**
   * Copies the database as of now, between two transactions.
   * @throws Error while another process uses it
   */
  async copyTo(path: string): Promise<void> {
    await this.#mutex.lock();
    try {
      copyDatabase(this.#writer.database, this.#options, this.#droppable.file, path);
      this.#droppable.mark();
    } finally {
      this.#mutex.unlock();
    }
  }

  /**
   * Puts another file in the place of the database, between two transactions, in one turn of the event loop.
   * @param path a complete database without a log, on the same file system; it is moved
   * @throws the file system's error
   */
  async replaceBy(path: string): Promise<void> {
    await this.#mutex.lock();
    try {
      await this.#log?.pending;
      this.#log?.close();
      this.#log = null;
      const last = this.version();
      this.#reader.close();
      this.#writer.close();
      this.#droppable.close();
      try {
        moveDatabase(path, this.#options);
      } finally {
        this.#writer.open();
        this.#reader.open();
        this.#openLog();
        this.#becomeAnother(last + 1);
      }
      this.#droppable.mark();
    } finally {
      this.#mutex.unlock();
    }
  }

  /** See `DatabaseFile`. */
  async rewind(): Promise<boolean> {
    await this.#mutex.lock();
    try {
      await this.#log?.pending;
      const isDone = this.#droppable.drop(this.#writer.database);
      if (isDone) this.#becomeAnother(this.#base + 1);
      return isDone;
    } finally {
      this.#mutex.unlock();
    }
  }

  /** @param base above all versions so far, unless the file goes on counting */
  #becomeAnother(base: number): void {
    this.#base = base;
    this.#steady += 1;
    this.#forget();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(this.#reader, this.#writer, this.#mutex, this.#hooks);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).rollback();
  }

  async releaseConnection(): Promise<void> {}

  /**
   * Changes with every commit of any process. The file is checked once in each turn of the event loop, and after every
   * commit of this process.
   */
  version(): number {
    if (this.#version === null) {
      const row = this.#reader.prepared('PRAGMA data_version').statement.get() as { data_version: number };
      this.#version = this.#base + row.data_version;
      setImmediate(this.#forget);
    }
    return this.#version;
  }

  /**
   * Changes whenever anyone commits more than bookkeeping; null while such a write is in progress. Other processes are
   * checked once in each turn of the event loop, and in each transaction.
   */
  steadyVersion(): number | null {
    if (this.#unsteady || this.#writer === undefined) return null;
    if (this.#foreign === null) {
      // On the writing handle, this number changes with commits of other connections only.
      const row = this.#writer.prepared('PRAGMA data_version').statement.get() as { data_version: number };
      this.#foreign = row.data_version;
      if (this.#foreign !== this.#foreignSeen) this.#steady += 1;
      this.#foreignSeen = this.#foreign;
      setImmediate(this.#forget);
    }
    return this.#steady;
  }

  /** Resolves when all durable commits are flushed; null if they are. */
  onDisk(): Promise<void> | null {
    return this.#log?.pending ?? null;
  }

  async destroy(): Promise<void> {
    this.#unregister();
    await this.#log?.pending?.catch(() => {});
    this.#log?.close();
    this.#reader?.close();
    this.#writer?.close();
    this.#droppable.close();
  }
}

/** Whether a query only reads: SQLite's `select` cannot write, even in raw SQL. */
const isRead = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql));

/** Notified of transactions. */
interface DriverHooks {
  begun(): void;
  /** Called before each query that may write. */
  writes(query: CompiledQuery): void;
  /** @param synced whether it has to be flushed; @returns a promise of the flush */
  committed(synced: boolean): Promise<void> | undefined;
  /** Called after a rollback. */
  ended(): void;
}

class Connection implements DatabaseConnection {
  #inTransaction = false;
  #synced = true;
  readonly #reader: Handle;
  readonly #writer: Handle;
  readonly #mutex: WriteMutex;
  readonly #hooks: DriverHooks;

  constructor(reader: Handle, writer: Handle, mutex: WriteMutex, versions: DriverHooks) {
    this.#reader = reader;
    this.#writer = writer;
    this.#mutex = mutex;
    this.#hooks = versions;
  }

  async begin(): Promise<void> {
    await this.#mutex.lock();
    try {
      this.#writer.database.exec('BEGIN IMMEDIATE');
      this.#inTransaction = true;
      this.#synced = !areFlushesDeferred();
      this.#hooks.begun();
    } catch (error) {
      this.#mutex.unlock();
      throw error;
    }
  }

  /** Makes the commit of the open transaction not wait for the disk. */
  doNotSync(): void {
    this.#synced = false;
  }

  /** Other transactions may begin before the commit is flushed, which resolves the promise. */
  commit(): Promise<void> | undefined {
    if (!this.#inTransaction) return undefined;
    // A failed commit leaves the transaction open; Kysely then rolls it back.
    this.#writer.database.exec('COMMIT');
    this.#inTransaction = false;
    this.#mutex.unlock();
    return this.#hooks.committed(this.#synced);
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    try {
      if (this.#writer.database.isTransaction) this.#writer.database.exec('ROLLBACK');
    } finally {
      this.#hooks.ended();
      this.#mutex.unlock();
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction) {
      if (!isRead(query)) this.#hooks.writes(query);
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
      this.#hooks.writes(query);
      const result = this.#writer.run<R>(query);
      return { result, onDisk: this.#hooks.committed(!areFlushesDeferred()) };
    } finally {
      // After a failed commit.
      this.#hooks.ended();
      this.#mutex.unlock();
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#reader.streamQuery<R>();
  }
}

/** Makes the commit of an open transaction not wait for the disk; nothing on other engines. @param db its handle */
export const doNotSync = (db: Pick<Kysely<never>, 'getExecutor'>): Promise<void> =>
  db.getExecutor().provideConnection(async (connection) => {
    if (connection instanceof Connection) connection.doNotSync();
  });
