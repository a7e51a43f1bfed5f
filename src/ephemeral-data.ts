import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EPHEMERAL } from './config/config.ts';
import { neverSync } from './core/unsynced-folders.ts';
import { isFolderInUse } from './db/folder-claim.ts';

/** Folders of this process; whatever ends it but a signal that cannot be handled removes them. */
const mine = new Set<string>();

/** A folder without a lock may belong to a server that is just starting. */
const STARTING_MS = 60_000;

/**
 * Creates the folder of an ephemeral server and has nothing in it flushed to disk. Folders of processes that were killed
 * are removed on the occasion.
 * @returns a function that removes it
 */
export async function makeEphemeral(folder: string): Promise<() => Promise<void>> {
  if (mine.size === 0) process.on('exit', removeAtExit);
  mine.add(folder);
  const sync = neverSync(folder);
  await mkdir(folder, { mode: 0o700 });
  await removeLeftOvers(dirname(folder));
  return async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    sync();
    mine.delete(folder);
    if (mine.size === 0) process.off('exit', removeAtExit);
  };
}

function removeAtExit(): void {
  for (const folder of mine) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Removes folders of ephemeral servers that were killed. One whose process may still run, here or in another container with
 * the same temporary folder, is left alone: its server holds a lock.
 */
async function removeLeftOvers(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = Number(EPHEMERAL.exec(name)?.[1] ?? 0);
    const folder = join(parent, name);
    if (pid === 0 || mine.has(folder) || (pid !== process.pid && isAlive(pid))) continue;
    if (await isLeftOver(folder).catch(() => false)) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function isLeftOver(folder: string): Promise<boolean> {
  const { uid, mtimeMs } = await stat(folder);
  if (uid !== process.getuid?.()) return false;
  const inUse = isFolderInUse(folder);
  return inUse === null ? mtimeMs < Date.now() - STARTING_MS : !inUse;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
