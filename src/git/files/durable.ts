import { closeSync, fsync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isUnsynced, syncHandle } from '../../core/unsynced-folders.ts';

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** Whether a file system error means that the file or a parent folder does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

/** Whether a file system error means that the name already exists. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'EEXIST', 'ENOTEMPTY');
}

/**
 * Flushes an open file or folder, unless its folder is never flushed; throws the file system's error. Only this call waits
 * for the disk; other operations on a small file are faster than handing them to another thread.
 * @param path of the file
 */
export function syncFile(descriptor: number, path: string | Uint8Array): Promise<void> {
  if (isUnsynced(path)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Flushes a file or folder; throws the file system's error. */
export async function syncPath(path: string | Buffer): Promise<void> {
  const file = openSync(path, 'r');
  try {
    await syncFile(file, path);
  } finally {
    closeSync(file);
  }
}

/** Like `syncPath`, but returns false if the path does not exist. */
export async function syncIfThere(path: string | Buffer): Promise<boolean> {
  try {
    await syncPath(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Writes a small file and flushes its content. Its name is durable once the folder is synced. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const handle = await open(path, 'w', mode);
  try {
    await handle.writeFile(content);
    await syncHandle(handle, path);
  } finally {
    await handle.close();
  }
}
