import { chmod, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { StartupError } from '../core/startup-error.ts';

/** Number of earlier upgrade copies that are kept. */
const EARLIER_COPIES = 1;
const PAGES_AT_ONCE = 10_000;

/**
 * Copies an embedded database before a migration, as `<file>.before-upgrade-of-<last migration>`; the copy of an
 * interrupted upgrade is replaced. Durable when the promise is fulfilled. The last two copies are kept.
 * @param path file of the database
 * @param last name of its last migration
 * @throws StartupError if the copy cannot be written
 */
export async function copyBeforeUpgrade(path: string, last: string): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.before-upgrade-of-`;
  const copy = join(folder, `${prefix}${last}`);
  const temporary = `${path}.copying`;
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await rm(temporary, { force: true });
    // Commits to its target with full sync.
    await backup(source, temporary, { rate: PAGES_AT_ONCE });
    await chmod(temporary, 0o600);
    await rename(temporary, copy);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The database cannot be copied to ${copy} before its upgrade: ${reason}. Nothing was changed.`,
      {
        cause: error,
      },
    );
  } finally {
    source.close();
  }
  const copies = (await readdir(folder)).filter(
    (name) => name.startsWith(prefix) && !/-(?:wal|shm|journal)$/.test(name),
  );
  const others = copies.filter((name) => name !== basename(copy)).sort();
  for (const name of others.slice(0, -EARLIER_COPIES)) await rm(join(folder, name), { force: true });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
