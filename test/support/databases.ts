import { randomBytes } from 'node:crypto';
import { constants, rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { openDatabase } from '../../src/db/database.ts';

export interface TestDatabase {
  /** Address for STITHY_DATABASE_URL; null means SQLite in the data folder. */
  url: string | null;
  drop(): Promise<void>;
}

/**
 * A database with all tables for one test app: a copy of an empty one, because to make them takes longer than most tests.
 * @param dataDir where it goes for SQLite; otherwise it is on the server of STITHY_TEST_POSTGRES
 */
export async function freshDatabase(dataDir: string): Promise<TestDatabase> {
  if (server() !== undefined) return create(process.env.STITHY_TEST_TEMPLATE ?? 'template1');
  await copyTables(dataDir);
  return { url: null, drop: async () => {} };
}

/** Puts an embedded database with all tables, and nothing in them, into a data folder that has none. */
export async function copyTables(dataDir: string): Promise<void> {
  await copyFile(await template(), join(dataDir, 'stithy.db'), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

/** One without any table, as before a first start. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return server() === undefined ? { url: null, drop: async () => {} } : create('template1');
}

const server = (): string | undefined => process.env.STITHY_TEST_POSTGRES || undefined;

let made: Promise<string> | undefined;

/** The file that is copied; this process makes it once. */
function template(): Promise<string> {
  made ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stithy-template-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'stithy.db');
    const { close } = await openDatabase({ kind: 'sqlite', path, durable: false });
    await close();
    return path;
  })();
  return made;
}

async function create(template: string): Promise<TestDatabase> {
  const name = `stithy_${randomBytes(8).toString('hex')}`;
  // Nothing here has to outlive the server, and a copy of its files is a third of the work of a copy through its log.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server()!);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) };
}

const administrators = new Map<string, Promise<Pool>>();

/** A connection costs as much as a small test: there is one for all databases of a server. */
function administrator(url: string): Promise<Pool> {
  let connected = administrators.get(url);
  if (connected === undefined) {
    connected = import('pg').then(({ default: pg }) => {
      const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
      // The server ends before this process does.
      pool.on('error', () => {});
      return pool;
    });
    administrators.set(url, connected);
  }
  return connected;
}

async function administer(statement: string): Promise<void> {
  await (await administrator(server()!)).query(statement);
}
