import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Config } from '../../config/config.ts';

/** A value as both engines give it: numbers, text and null are all that the tables hold. */
export type Value = string | number | null;

/** The database as it was at one instant, whatever is written meanwhile. */
export interface Snapshot {
  /** The rows of a query that only reads, some thousands at a time, each an array in the order of its columns. */
  rows(query: string): AsyncIterable<Value[][]>;
  close(): Promise<void>;
}

const BATCH = 2_000;

/**
 * Opens a view of the database that stands still until it is closed; writers are not held up. It changes nothing, and
 * the tables are read as they are.
 * @throws the database's error where it cannot be reached
 */
export function openSnapshot(config: Config['database']): Promise<Snapshot> {
  return config.kind === 'sqlite' ? openSqlite(config.path) : openPostgres(config.url);
}

async function openSqlite(path: string): Promise<Snapshot> {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  // The first read of a transaction fixes what it sees.
  database.exec('pragma query_only = on; begin; select count(*) from sqlite_master');
  return {
    async *rows(query) {
      const statement = database.prepare(query);
      statement.setReturnArrays(true);
      let batch: Value[][] = [];
      for (const row of statement.iterate() as unknown as Iterable<SQLOutputValue[]>) {
        batch.push(row as Value[]);
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    close: async () => database.close(),
  };
}

async function openPostgres(url: string): Promise<Snapshot> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  // What breaks off is told by the query that needed it.
  client.on('error', () => {});
  await client.connect();
  const numeric = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      numeric.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query('select 1');
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    async *rows(query) {
      await client.query(`declare reading no scroll cursor for ${query}`);
      for (;;) {
        const { rows } = await client.query({ text: `fetch ${BATCH} from reading`, rowMode: 'array', types });
        if (rows.length > 0) yield rows as Value[][];
        if (rows.length < BATCH) break;
      }
      await client.query('close reading');
    },
    close: () => client.end(),
  };
}
