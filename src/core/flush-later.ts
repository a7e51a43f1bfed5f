import { closeSync, type Dirent, fsync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { forEachWithConcurrency } from './concurrency.ts';
import { neverSync } from './unsynced-folders.ts';

/** Files and folders that are flushed at the same time. */
const AT_ONCE = 8;
const flushDescriptor = promisify(fsync);

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
    for (const folder of folders) await forEachWithConcurrency(pathsIn(folder), AT_ONCE, null, flush);
  }
}

/** All files and folders in a folder, and the folder; read while they are asked for. */
function* pathsIn(folder: string): Generator<string> {
  for (const entry of unlessMissing<Dirent[]>([], () => readdirSync(folder, { withFileTypes: true }))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pathsIn(path);
    else if (entry.isFile()) yield path;
  }
  yield folder;
}

/** Only the flush waits for the disk: other threads would take longer for the rest. */
async function flush(path: string): Promise<void> {
  const descriptor = unlessMissing(null, () => openSync(path, 'r'));
  if (descriptor === null) return;
  try {
    await flushDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What was removed meanwhile needs no flush. */
function unlessMissing<T>(nothing: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    throw error;
  }
}
