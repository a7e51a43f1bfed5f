import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Config } from '../config/config.ts';
import { StartupError } from '../core/startup-error.ts';
import type { Db } from './db.schema.ts';

/** A running server's claim on its data, which ends with the process in any case. */
export interface Claim {
  /** Whether no other server process works on the data, so that all leftovers belong to a dead one. */
  alone: boolean;
  /** Admits other server processes, if the database supports several; to be called after leftovers are recovered. */
  share(): Promise<void>;
  release(): Promise<void>;
}

/** Number of the advisory lock; not used otherwise. */
const POSTGRES_LOCK = 7_837_462;
/** The connection of a killed process may take a moment to be noticed. */
const TRIES = 5;
const TRY_MS = 50;
const CONNECT_MS = 10_000;
/** First and longest delay between attempts to regain a lost claim. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 10_000;

/**
 * Claims the data for this process. An embedded database has one server; PostgreSQL can have many, and the first of
 * them blocks the others until it calls `share`.
 * @throws StartupError if another server runs on the embedded database
 */
export function claimData(config: Config['database']): Promise<Claim> {
  return config.kind === 'sqlite' ? claimSqlite(config.path) : claimPostgres(config.url);
}

async function claimSqlite(path: string): Promise<Claim> {
  const lock = lockFile(`${path}.lock`);
  if (lock === null) {
    throw new StartupError(`Another server runs on ${path}. Stop it, or choose another STITHY_DATA_DIR.`);
  }
  return { alone: true, share: async () => {}, release: async () => lock.close() };
}

/**
 * Takes an operating system lock on a file, which is created if missing; the lock ends with the process.
 * @returns null if another process holds it
 */
export function lockFile(path: string): { close(): void } | null {
  const lock = new DatabaseSync(path, { timeout: TRIES * TRY_MS });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (!/database is locked/.test(String(error))) throw error;
    return null;
  }
}

async function claimPostgres(url: string): Promise<Claim> {
  const { default: pg } = await import('pg');
  let released = false;
  let client: Client;
  /** A lost connection loses the claim: until it is regained, a starting server assumes that this one is dead. */
  const connect = async (): Promise<Client> => {
    const next = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: CONNECT_MS });
    next.on('error', () => {});
    await next.connect();
    next.once('end', () => void reclaim());
    return next;
  };
  const reclaim = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; !released; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      await sleep(pause, undefined, { ref: false });
      try {
        if (released) return;
        client = await connect();
        // Waits for a server that has started meanwhile and recovers leftovers.
        await client.query('select pg_advisory_lock_shared($1)', [POSTGRES_LOCK]);
        return;
      } catch {
        // Still unavailable.
      }
    }
  };
  client = await connect();
  const tryLock = async (): Promise<boolean> => {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [POSTGRES_LOCK]);
    return rows[0]?.locked === true;
  };
  let alone = await tryLock();
  for (let tries = 1; !alone && tries < TRIES; tries += 1) {
    await sleep(TRY_MS);
    alone = await tryLock();
  }
  // Waits for the first server while it recovers leftovers.
  await client.query('select pg_advisory_lock_shared($1)', [POSTGRES_LOCK]);
  return {
    alone,
    share: async () => {
      if (alone) await client.query('select pg_advisory_unlock($1)', [POSTGRES_LOCK]);
    },
    release: async () => {
      released = true;
      await client.end();
    },
  };
}

/** Whether several server processes work on a PostgreSQL database: each holds the lock of its claim. */
export async function otherServers(db: Db): Promise<boolean> {
  const { rows } = await sql<{ holders: number }>`
    select count(distinct pid) as holders from pg_locks
    where locktype = 'advisory' and granted and classid = 0 and objid = ${sql.lit(POSTGRES_LOCK)}
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return Number(rows[0]!.holders) > 1;
}
