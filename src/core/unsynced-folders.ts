import type { FileHandle } from 'node:fs/promises';
import { FolderMap } from './folder-map.ts';

const unsynced = new FolderMap<true>();

/**
 * Has nothing below a folder flushed to disk by this process: for data that is thrown away with it.
 * @param folder an absolute path
 * @returns a function that takes it back
 */
export const neverSync = (folder: string): (() => void) => unsynced.add(folder, true);

/** Whether a path is in a folder whose files are not flushed to disk. */
export const isUnsynced = (path: string | Uint8Array): boolean =>
  unsynced.of(typeof path === 'string' ? path : Buffer.from(path).toString()) === true;

/** Flushes an open file, unless its folder is never flushed. @throws the file system's error */
export async function syncHandle(handle: Pick<FileHandle, 'sync'>, path: string): Promise<void> {
  if (!isUnsynced(path)) await handle.sync();
}
