import { closeSync, fsync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** Whether an error of the file system says that the file or a folder above it is not there. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

/** Whether an error of the file system says that the name is taken. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'EEXIST', 'ENOTEMPTY');
}

/**
 * Makes what an open file or folder holds durable; throws the file system's error. What else there is to do with a small file takes
 * less time than handing it to another thread: only this waits for the disk.
 */
export function syncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Makes what a file or folder holds durable; throws the file system's error. */
export async function syncPath(path: string | Buffer): Promise<void> {
  const file = openSync(path, 'r');
  try {
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}

/** `syncPath` that gives false where there is no such path. */
export async function syncIfThere(path: string | Buffer): Promise<boolean> {
  try {
    await syncPath(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Writes a small file and makes its content durable; its name is durable once its folder is synced. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const handle = await open(path, 'w', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
