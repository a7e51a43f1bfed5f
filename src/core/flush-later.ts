import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachWithConcurrency } from './concurrency.ts';
import { neverSync } from './unsynced-folders.ts';

/** Files and folders that are flushed at the same time. */
const AT_ONCE = 8;

/**
 * Runs work that flushes nothing in some folders, then flushes all that is in them: thousands of files together take the
 * disk hardly longer than one. After a power failure meanwhile, any of them may be empty or missing.
 * @param folders absolute paths; missing ones are ignored
 * @throws errors of `work`, after what it has written was flushed; the file system's errors
 */
export async function flushLater<T>(folders: readonly string[], work: () => Promise<T>): Promise<T> {
  const resume = folders.map((folder) => neverSync(folder));
  try {
    return await work();
  } finally {
    for (const step of resume) step();
    const paths: string[] = [];
    for (const folder of folders) await collect(folder, paths);
    await forEachWithConcurrency(paths, AT_ONCE, null, flush);
  }
}

/** Adds a folder, and all files and folders in it. */
async function collect(folder: string, paths: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nothingIfMissing<Dirent[]>([]));
  for (const entry of entries) {
    if (entry.isDirectory()) await collect(join(folder, entry.name), paths);
    else if (entry.isFile()) paths.push(join(folder, entry.name));
  }
  paths.push(folder);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(nothingIfMissing(null));
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/** What was removed meanwhile needs no flush. */
const nothingIfMissing =
  <T>(nothing: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return nothing;
    throw error;
  };
