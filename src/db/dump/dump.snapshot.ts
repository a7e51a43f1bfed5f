import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Config } from '../../config/config.ts';

/** A value in the form of both engines: tables only contain numbers, texts and null. */
export type Value = string | number | null;

/** The database as of one instant, whatever is written meanwhile. */
export interface Snapshot {
  /** Rows of a reading query, some thousands at a time, each as an array in the order of its columns. */
  rows(query: string): AsyncIterable<Value[][]>;
  close(): Promise<void>;
}

const BATCH = 2_000;

/**
 * Opens a consistent read-only view of the database until it is closed; writers are not blocked.
 * @throws the database's error if it cannot be reached
 */
export function openSnapshot(config: Config['database']): Promise<Snapshot> {
  return config.kind === 'sqlite' ? openSqlite(config.path) : openPostgres(config.url);
}

async function openSqlite(path: string): Promise<Snapshot> {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  // The first read of a transaction determines its snapshot.
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
  // Lost connections are reported by the query that needs them.
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
