import { randomUUID } from 'node:crypto';
import { lstat, opendir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesPath } from '../common/index.ts';
import { isMissing } from './durable.ts';

/** Folders with locks or temporary files of git; `refs` to any depth. */
const FOLDERS = ['.', 'refs', 'objects', 'objects/info', 'objects/info/commit-graphs', 'objects/pack', 'info'];
const LEFTOVER_FILE = /\.lock$|^tmp_(?:obj|pack|idx|rev|mtimes|bitmap|midx|graph|commit_graph)_|^\.tmp-\d+-pack-/;
/** A file time that is further in the future, in milliseconds, is caused by a wrong clock. */
const AHEAD_MS = 10 * 60_000;
/** The disk's clock is asked at most so often until an answer came within so many milliseconds. */
const [MAX_PROBES, EXACT_MS] = [10, 2];
const LEFTOVER_FOLDER = /^(?:tmp_objdir-|incoming-)/;

/**
 * Removes locks and temporary files that ended git processes left in a repository. Safe while no process of the server
 * that is older than `olderThan` writes to it: at the start, or in its write queue.
 * @param olderThan removes only files last changed before this time, or with a time in the future
 * @param folders folders to search, relative to `dir`; those below `refs` to any depth
 * @returns the removed paths, relative to `dir`
 */
export async function removeStaleLocks(
  dir: string,
  olderThan: Date,
  folders: readonly string[] = FOLDERS,
): Promise<string[]> {
  const sweep: Sweep = { dir, olderThan, removed: [] };
  for (const folder of folders) await look(sweep, folder);
  return sweep.removed;
}

interface Sweep {
  dir: string;
  olderThan: Date;
  /** The same instant in file times: these come from the disk's machine, whose clock may differ. */
  limit?: Promise<number>;
  removed: string[];
}

async function look(sweep: Sweep, folder: string): Promise<void> {
  try {
    for await (const entry of await opendir(join(sweep.dir, folder))) {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      const inRefs = folder === 'refs' || folder.startsWith('refs/');
      const fanOut = folder === 'objects' && /^[0-9a-f]{2}$/.test(entry.name);
      if (entry.isDirectory() && (inRefs || fanOut)) await look(sweep, path);
      else if (isLeftover(entry.name, entry.isDirectory(), folder)) await remove(sweep, path);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/**
 * Removes orphaned locks of files.
 * @param names of the files, relative to `dir`
 * @param ageMs younger locks, by the clock of the disk, are kept, unless their time is in the future
 * @returns whether none of the files is locked any more
 */
export async function removeLocks(dir: string, names: readonly string[], ageMs: number): Promise<boolean> {
  let now: Promise<number> | undefined;
  let left = 0;
  for (const name of names) {
    const path = bytesPath(dir, `${name}.lock`);
    const stat = await lstat(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    if (stat === undefined) continue;
    now ??= timeOfDisk(dir);
    const age = (await now) - stat.mtimeMs;
    if (age >= ageMs || age < -AHEAD_MS) await rm(path, { force: true });
    else left += 1;
  }
  return left === 0;
}

/** Whether a name in a repository folder belongs to a lock or a temporary file. */
export function isLeftover(name: string, isFolder: boolean, folder: string): boolean {
  return isFolder ? folder === 'objects' && LEFTOVER_FOLDER.test(name) : LEFTOVER_FILE.test(name);
}

async function remove(sweep: Sweep, path: string): Promise<void> {
  const full = join(sweep.dir, path);
  try {
    const { mtimeMs } = await lstat(full);
    sweep.limit ??= onDisk(sweep.dir, sweep.olderThan);
    const limit = await sweep.limit;
    // A time in the future stems from a clock that was fast, long ago.
    if (mtimeMs >= limit && mtimeMs <= limit + (Date.now() - sweep.olderThan.getTime()) + AHEAD_MS) return;
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await rm(full, { recursive: true, force: true });
  sweep.removed.push(path);
}

/**
 * An instant by the disk's clock, in milliseconds since 1970: rather too early than too late, since what is younger
 * belongs to somebody. On a busy machine it takes long to ask, so that the answer is an old one: asked again, a few
 * times.
 */
async function onDisk(dir: string, instant: Date): Promise<number> {
  let ahead = Number.NEGATIVE_INFINITY;
  for (let tries = 0; tries < MAX_PROBES; tries += 1) {
    const before = Date.now();
    const { time, asked } = await probe(dir);
    ahead = Math.max(ahead, time - asked);
    if (asked - before <= EXACT_MS) break;
  }
  return instant.getTime() + ahead;
}

/** Time of the disk's clock in milliseconds since 1970. */
const timeOfDisk = async (dir: string): Promise<number> => (await probe(dir)).time;

/** @returns the time of the disk, and that of this machine when it was known at the latest */
async function probe(dir: string): Promise<{ time: number; asked: number }> {
  // If the process is killed here, the file is a stale lock itself.
  const path = join(dir, `${randomUUID()}.lock`);
  try {
    await writeFile(path, '');
    const asked = Date.now();
    return { time: (await lstat(path)).mtimeMs, asked };
  } finally {
    await rm(path, { force: true });
  }
}
