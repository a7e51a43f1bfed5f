import { existsSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../core/startup-error.ts';
import { isUnsynced } from '../core/unsynced-folders.ts';
import type { Db } from './db.schema.ts';

const FILE = 'server.lock';
/** The connection of a killed process may take a moment to be noticed. */
const WAIT_MS = 250;

/**
 * Locks folders for this process, with operating system locks. Servers on one shared database share them; the server of
 * an embedded database holds them exclusively.
 * @returns a function that releases them
 * @throws StartupError if a server of another database holds one of them
 */
export function claimFolders(folders: readonly string[], shared: boolean): () => void {
  const locks: DatabaseSync[] = [];
  const release = () => {
    for (const lock of locks) lock.close();
  };
  try {
    for (const folder of folders) locks.push(claimFolder(folder, shared));
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

function claimFolder(folder: string, shared: boolean): DatabaseSync {
  const lock = new DatabaseSync(join(folder, FILE), { timeout: WAIT_MS });
  try {
    // A read holds the shared lock until its transaction ends.
    lock.exec(shared ? 'begin; select count(*) from sqlite_master' : 'begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (!/database is locked/.test(String(error))) throw error;
    throw new StartupError(
      `Another server, with a different database, uses the folder ${folder}. Stop it, or choose another folder.`,
    );
  }
}

/** Whether a server has claimed a folder for itself; null if none ever did. */
export function isFolderInUse(folder: string): boolean | null {
  const path = join(folder, FILE);
  if (!existsSync(path)) return null;
  const lock = new DatabaseSync(path, { timeout: WAIT_MS });
  try {
    lock.exec('begin exclusive');
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}

const INSTANCE_FILE = 'instance';

/**
 * Binds a data folder or a storage to the installation of its database, so that files of two installations are not
 * mixed.
 * @throws StartupError if it is bound to another one
 */
export async function bindFolder(folder: string, db: Db): Promise<void> {
  const row = await db
    .selectFrom('instance_values')
    .select('value')
    .where('key', '=', 'instance_id')
    .executeTakeFirst();
  if (row === undefined) return;
  const path = join(folder, INSTANCE_FILE);
  const temporary = `${path}.${process.pid}`;
  try {
    // Complete when it appears, because two servers may start at once.
    await writeFile(temporary, `${row.value}\n`, { mode: 0o600, flush: !isUnsynced(path) });
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const bound = (await readFile(path, 'utf8')).trim();
    if (bound === row.value) return;
    throw new StartupError(
      `The folder ${folder} belongs to another database. Choose another one, or another STITHY_DATABASE_URL; if that database is gone for good, remove ${path}.`,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}
