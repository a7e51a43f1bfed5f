import { existsSync } from 'node:fs';
import type { CompiledQuery, LogConfig } from 'kysely';
import type { Config } from '../config/config.ts';
import { StartupError } from '../core/startup-error.ts';
import type { Db } from './db.schema.ts';
import { checkMigrated, migrate } from './migrate.ts';
import { Postgres } from './query-compilers.ts';
import { registerStableReads } from './read-cache.ts';
import { NodeSqliteDialect } from './sqlite-driver.ts';
import { TransactionalKysely } from './transactions.ts';
import { copyBeforeUpgrade } from './upgrade-copy.ts';

export interface Database {
  db: Db;
  /**
   * A number that changes whenever anything is committed, or null where the engine cannot tell. What was read at
   * one version is still true while the version stands.
   */
  version(): number | null;
  /**
   * When all is on disk that was committed to be there, null where it is. Whoever committed waits for it anyway; what others
   * have read meanwhile is told to nobody before. Where it cannot be put there it fails, from then on always.
   */
  onDisk(): Promise<void> | null;
  /** Throws when the database cannot answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const MAX_POSTGRES_CONNECTIONS = 20;
/** So long a query waits for a connection, in milliseconds. */
const CONNECT_MS = 10_000;

/**
 * Opens the database and brings its tables up to date. An embedded one of an earlier version is copied before.
 * @param onQuery is told of every query after it has run
 * @throws StartupError when its tables cannot be what this program expects; what the engine says when it cannot be reached
 */
export async function openDatabase(
  config: Config['database'],
  onQuery?: (query: CompiledQuery) => void,
): Promise<Database> {
  const database = await connect(config, onQuery);
  const beforeUpgrade = async (last: string) => {
    if (config.kind === 'sqlite') await copyBeforeUpgrade(config.path, last);
  };
  return closeUnless(database, migrate(database.db, config.kind, { beforeUpgrade }));
}

/**
 * Opens the database of a server, running or not, as it is. For commands beside the server.
 * @throws StartupError when there is none, or its tables are not those of this program
 */
export async function openExisting(config: Config['database']): Promise<Database> {
  if (config.kind === 'sqlite' && !existsSync(config.path))
    throw new StartupError(`There is no database ${config.path}.`);
  const database = await connect(config);
  return closeUnless(database, checkMigrated(database.db, config.kind));
}

/** Opens the database as it is, whatever tables it has. */
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
  return wrap(db, { version: () => dialect.version(), onDisk: () => dialect.onDisk() });
}

async function openPostgres(url: string, log: { log?: LogConfig }): Promise<Database> {
  const { default: pg } = await import('pg');
  // Counts and ids are far below 2^53; numbers are what every caller expects.
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
  // A connection that dies is replaced by the pool, and its query fails; without listeners it would end the process: the
  // pool's is for idle connections, the other one for those in use.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new TransactionalKysely({ dialect: new Postgres({ pool }), ...log });
  // Here nobody sees what is not on disk.
  return wrap(db, { version: () => null, onDisk: () => null });
}

function wrap(db: Db, versions: Pick<Database, 'version' | 'onDisk'>): Database {
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
