import { DatabaseSync } from 'node:sqlite';
import type { AppliedChange } from './ledger.ts';

/** The server's database, read past the server. */
export interface Records {
  /** Rows of a query without parameters. */
  query<T>(sql: string): Promise<T[]>;
  /** What the database's own checks find; nothing when it is sound. */
  damage(): Promise<string[]>;
}

class SqliteRecords implements Records {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async query<T>(sql: string): Promise<T[]> {
    const database = new DatabaseSync(this.#path, { readOnly: true, timeout: 10_000 });
    try {
      return database.prepare(sql).all() as T[];
    } finally {
      database.close();
    }
  }

  async damage(): Promise<string[]> {
    const integrity = await this.query<{ integrity_check: string }>('pragma integrity_check');
    const foreign = await this.query('pragma foreign_key_check');
    return [
      ...integrity.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
      ...foreign.map((row) => `foreign key: ${JSON.stringify(row)}`),
    ];
  }
}

class PostgresRecords implements Records {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async query<T>(sql: string): Promise<T[]> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as T[];
    } finally {
      await client.end();
    }
  }

  async damage(): Promise<string[]> {
    return [];
  }
}

/** @param path the SQLite file @param url address of a PostgreSQL database, which then counts instead */
export function openRecords(path: string, url: string | null): Records {
  return url === null ? new SqliteRecords(path) : new PostgresRecords(url);
}

/** The changes of refs that were recorded as events of a project, an event each, in their order. */
export async function pushEvents(records: Records, projectId: number): Promise<AppliedChange[][]> {
  const rows = await records.query<{ payload: string }>(
    `select payload from domain_events where type = 'push' and project_id = ${projectId} order by id`,
  );
  return rows.map(({ payload }) => (JSON.parse(payload) as { updates: AppliedChange[] }).updates);
}

/** The same of a wiki. */
export async function wikiEvents(records: Records, wikiId: number): Promise<AppliedChange[][]> {
  const rows = await records.query<{ payload: string }>(
    `select payload from domain_events where type = 'wiki.pushed' order by id`,
  );
  const payloads = rows.map(({ payload }) => JSON.parse(payload) as { wiki_id: number; updates: AppliedChange[] });
  return payloads.filter(({ wiki_id }) => wiki_id === Number(wikiId)).map(({ updates }) => updates);
}
