import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachWithConcurrency } from '../../core/concurrency.ts';
import { isMissing, syncPath } from './durable.ts';

const COPIES = 8;

/** Names in a folder; empty if there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Copies the files that are missing in `to`, a few at a time. Durable when it fulfils.
 * @param files paths relative to both folders
 */
export async function copyMissing(
  from: string,
  to: string,
  files: readonly string[],
): Promise<{ bytes: number; copied: number; vanished: boolean }> {
  const there = new Map<string, Set<string>>();
  const changed = new Set<string>();
  const missing: string[] = [];
  for (const file of files) {
    const folder = dirname(file);
    let names = there.get(folder);
    if (names === undefined) {
      names = new Set(await namesIn(join(to, folder)));
      there.set(folder, names);
    }
    if (names.has(file.slice(folder.length + 1))) continue;
    if (!changed.has(folder)) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    changed.add(folder);
    missing.push(file);
  }
  let bytes = 0;
  let copied = 0;
  let vanished = false;
  await forEachWithConcurrency(missing, COPIES, null, async (file) => {
    const size = await copyDurably(join(from, file), join(to, file));
    vanished ||= size === null;
    copied += size === null ? 0 : 1;
    bytes += size ?? 0;
  });
  if (changed.size > 0) {
    const folders = new Set([to, ...[...changed].flatMap((folder) => [join(to, folder), dirname(join(to, folder))])]);
    for (const folder of folders) await syncPath(folder);
  }
  return { bytes, copied, vanished };
}

/** Copies a file under a temporary name, flushes it and renames it. @returns its size; null if it no longer exists */
export async function copyDurably(from: string, to: string): Promise<number | null> {
  const temporary = `${to}.part`;
  try {
    await copyFile(from, temporary, constants.COPYFILE_FICLONE);
    await syncPath(temporary);
    const { size } = await stat(temporary);
    await rename(temporary, to);
    return size;
  } catch (error) {
    await rm(temporary, { force: true });
    if (isMissing(error)) return null;
    throw error;
  }
}
