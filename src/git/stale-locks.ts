import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './durable.ts';

/** Folders that git locks or leaves temporary files in; `refs` to any depth. */
const FOLDERS = ['.', 'refs', 'objects', 'objects/info', 'objects/info/commit-graphs', 'objects/pack', 'info'];
const LEFTOVER_FILE = /\.lock$|^tmp_(?:obj|pack|idx|rev|mtimes|bitmap|midx|graph|commit_graph)_|^\.tmp-\d+-pack-/;
/** Clocks of machines that share a disk differ by less, in milliseconds. */
const AHEAD_MS = 10 * 60_000;
const LEFTOVER_FOLDER = /^(?:tmp_objdir-|incoming-)/;

/**
 * Removes the locks and temporary files that ended git processes left in a repository. Safe while none of the
 * server's own processes that are older than `olderThan` writes to it: at the start, or in its queue.
 * @param olderThan only what was last changed before this moment is removed, or has a time to come
 * @returns the paths removed, relative to `dir`
 */
export async function removeStaleLocks(dir: string, olderThan: Date): Promise<string[]> {
  const removed: string[] = [];
  for (const folder of FOLDERS) await sweep(dir, folder, olderThan, removed);
  return removed;
}

async function sweep(dir: string, folder: string, olderThan: Date, removed: string[]): Promise<void> {
  try {
    for await (const entry of await opendir(join(dir, folder))) {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      const inRefs = folder === 'refs' || folder.startsWith('refs/');
      const fanOut = folder === 'objects' && /^[0-9a-f]{2}$/.test(entry.name);
      if (entry.isDirectory() && (inRefs || fanOut)) await sweep(dir, path, olderThan, removed);
      else if (isLeftover(entry.name, entry.isDirectory(), folder)) await remove(dir, path, olderThan, removed);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isLeftover(name: string, isFolder: boolean, folder: string): boolean {
  return isFolder ? folder === 'objects' && LEFTOVER_FOLDER.test(name) : LEFTOVER_FILE.test(name);
}

async function remove(dir: string, path: string, olderThan: Date, removed: string[]): Promise<void> {
  const full = join(dir, path);
  try {
    const { mtime } = await lstat(full);
    // A time to come is one of a clock that ran ahead, long ago.
    if (mtime >= olderThan && mtime.getTime() <= Date.now() + AHEAD_MS) return;
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await rm(full, { recursive: true, force: true });
  removed.push(path);
}
