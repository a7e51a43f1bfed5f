import { type CompiledQuery, Kysely, type LogConfig } from 'kysely';
import type { Config } from '../config/config.ts';
import { migrate } from './migrate.ts';
import { Postgres } from './query-compilers.ts';
import type { Db, Schema } from './schema.ts';
import { NodeSqliteDialect } from './sqlite-driver.ts';

export interface Database {
  db: Db;
  /**
   * A number that changes whenever anything is committed, or null where the engine cannot tell. What was read at
   * one version is still true while the version stands.
   */
  version(): number | null;
  /** Throws when the database cannot answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const MAX_POSTGRES_CONNECTIONS = 20;

/**
 * Opens the database and brings its tables up to date. Throws when it cannot be reached.
 * @param onQuery is told of every query after it has run
 */
export async function openDatabase(
  config: Config['database'],
  onQuery?: (query: CompiledQuery) => void,
): Promise<Database> {
  const log = onQuery === undefined ? {} : { log: listener(onQuery) };
  const database = config.kind === 'sqlite' ? openSqlite(config, log) : await openPostgres(config.url, log);
  try {
    await migrate(database.db, config.kind);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

const listener =
  (onQuery: (query: CompiledQuery) => void): LogConfig =>
  ({ level, query }) => {
    if (level === 'query') onQuery(query);
  };

function openSqlite(options: { path: string; durable: boolean }, log: { log?: LogConfig }): Database {
  const dialect = new NodeSqliteDialect(options);
  return wrap(new Kysely<Schema>({ dialect, ...log }), () => dialect.version());
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
  const pool = new pg.Pool({ connectionString: url, max: MAX_POSTGRES_CONNECTIONS, types });
  // A connection that dies while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  return wrap(new Kysely<Schema>({ dialect: new Postgres({ pool }), ...log }), () => null);
}

function wrap(db: Db, version: () => number | null): Database {
  return {
    db,
    version,
    check: async () => {
      await db.selectFrom('instance_values').select('key').limit(1).execute();
    },
    close: () => db.destroy(),
  };
}
