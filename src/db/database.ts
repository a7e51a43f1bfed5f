import { existsSync } from 'node:fs';
import type { CompiledQuery, LogConfig } from 'kysely';
import type { Config } from '../config/config.ts';
import { StartupError } from '../core/startup-error.ts';
import type { Db } from './db.schema.ts';
import { keepEmptyDatabase, placeEmptyDatabase } from './empty-database.ts';
import { checkMigrated, migrate } from './migrate.ts';
import { Postgres } from './query-compilers.ts';
import { registerStableReads } from './read-cache.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import type { DatabaseFile } from './sqlite-file.ts';
import { TransactionalKysely } from './transactions.ts';
import { copyBeforeUpgrade } from './upgrade-copy.ts';

export interface Database {
  db: Db;
  /**
   * Changes with every commit; null if the engine cannot tell. Reads at one version are valid while the version is
   * unchanged.
   */
  version(): number | null;
  /**
   * Resolves when all durable commits are on disk; null if they are. Their authors wait for it anyway; answers to other
   * readers are held back until then. Rejects permanently after a failed write.
   */
  onDisk(): Promise<void> | null;
  /** The file of an embedded database; null for others. */
  file: DatabaseFile | null;
  /** Throws if the database cannot answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const MAX_POSTGRES_CONNECTIONS = 20;
/** Milliseconds that a query waits for a connection. */
const CONNECT_MS = 10_000;

/**
 * Opens the database and migrates it. An embedded database of an earlier version is copied first.
 * @param onQuery called with every executed query
 * @throws StartupError if its tables are not those of a known version; the engine's error if it cannot be reached
 */
export async function openDatabase(
  config: Config['database'],
  onQuery?: (query: CompiledQuery) => void,
): Promise<Database> {
  const isNew = config.kind === 'sqlite' && !existsSync(config.path);
  if (isNew) placeEmptyDatabase(config.path, config.durable);
  const database = await connect(config, onQuery);
  const beforeUpgrade = async (last: string) => {
    if (config.kind === 'sqlite') await copyBeforeUpgrade(config.path, last);
  };
  await closeUnless(database, migrate(database.db, config.kind, { beforeUpgrade }));
  if (isNew) await keepEmptyDatabase(database.db, config.path);
  return database;
}

/**
 * Opens the existing database of a server for commands, whether the server runs or not.
 * @throws StartupError if there is none, or its tables are not those of this version
 */
export async function openExisting(config: Config['database']): Promise<Database> {
  if (config.kind === 'sqlite' && !existsSync(config.path))
    throw new StartupError(`There is no database ${config.path}.`);
  const database = await connect(config);
  return closeUnless(database, checkMigrated(database.db, config.kind));
}

/** Opens the database without checking its tables. */
export async function connect(config: Config['database'], onQuery?: (query: CompiledQuery) => void): Promise<Database> {
  const log = onQuery === undefined ? {} : { log: listener(onQuery) };
  return config.kind === 'sqlite' ? openSqlite(config, log) : await openPostgres(config.url, log);
}

async function closeUnless(database: Database, good: Promise<void>): Promise<Database> {
  try {
    await good;
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

const listener =
  (onQuery: (query: CompiledQuery) => void): LogConfig =>
  ({ level, query }) => {
    if (level === 'query') onQuery(query);
  };

function openSqlite(options: { path: string; durable: boolean }, log: { log?: LogConfig }): Database {
  const dialect = new NodeSqliteDialect(options);
  const db = new TransactionalKysely({ dialect, ...log });
  registerStableReads(db, () => dialect.steadyVersion());
  return wrap(db, { version: () => dialect.version(), onDisk: () => dialect.onDisk(), file: dialect.file });
}

async function openPostgres(url: string, log: { log?: LogConfig }): Promise<Database> {
  const { default: pg } = await import('pg');
  // Counts and ids are far below 2^53, and callers expect numbers.
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
        ? Number
        : pg.types.getTypeParser(oid, format as 'text'),
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_POSTGRES_CONNECTIONS,
    types,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
  });
  // The pool replaces dead connections and fails their queries. Without these listeners an error would end the process:
  // the first is for idle connections, the second for those in use.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new TransactionalKysely({ dialect: new Postgres({ pool }), ...log });
  // PostgreSQL only shows commits that are on disk.
  return wrap(db, { version: () => null, onDisk: () => null, file: null });
}

function wrap(db: Db, versions: Pick<Database, 'version' | 'onDisk' | 'file'>): Database {
  const database: Database = {
    db,
    ...versions,
    check: async () => {
      await database.onDisk();
      await db.selectFrom('instance_values').select('key').limit(1).execute();
    },
    close: () => db.destroy(),
  };
  return database;
}
