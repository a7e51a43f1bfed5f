import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCopies, type KeptFile, type KeptFolder, pathOf } from './file-lists.ts';
import { copyWithTime, FILES } from './files.take.ts';
import type { FolderStates } from './folder-states.ts';

/** Precision with which the time of a file is set, in milliseconds. */
const TIME_MS = 2;

/** Takes a file or folder away, with all that is in it. @throws the file system's error */
export type Removal = (path: string) => void;

const removeNow: Removal = (path) => rmSync(path, { recursive: true });

/**
 * Makes folders hold what they held when a snapshot was taken, in one turn of the event loop. Folders that are known to
 * hold it are not read. It can be repeated after it failed half-way.
 * @param roots folders by name
 * @param list result of `takeFiles`
 * @param from folder of the snapshot
 * @param states knows what folders hold, and is told what they hold now
 * @param remove takes away what is too much
 * @throws the file system's error
 */
export function restoreFiles(
  roots: ReadonlyMap<string, string>,
  list: readonly KeptFolder[],
  from: string,
  states: FolderStates,
  remove: Removal = removeNow,
): void {
  const written: { path: string; folder: KeptFolder }[] = [];
  states.begin();
  for (const folder of list) {
    const path = pathOf(roots, folder);
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      if (!hasCopies(folder) && states.holds(path, stats, folder.signature)) continue;
      if (Number(stats.mode & 0o777n) !== folder.mode) chmodSync(path, folder.mode);
      reconcile(path, folder, join(from, FILES), remove);
    } else {
      if (stats !== undefined) remove(path);
      mkdirSync(path, { recursive: true, mode: folder.mode });
      for (const file of folder.files) place(join(from, FILES), file, path);
    }
    written.push({ path, folder });
  }
  // Last, because a folder changes when one is made in it.
  for (const { path, folder } of written) states.note(path, lstatSync(path, { bigint: true }), folder.signature);
  states.end();
}

/** Removes what is too much in a folder, and puts there what is missing or another file. */
function reconcile(path: string, folder: KeptFolder, from: string, remove: Removal): void {
  const missing = new Map(folder.files.map((file) => [file.name, file]));
  const folders = new Set(folder.folders);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory()) {
      if (!folders.has(name)) remove(join(path, name));
      continue;
    }
    // What lies in a root itself belongs to the server.
    if (folder.path === '' && !folders.has(name)) continue;
    const file = missing.get(name);
    if (file !== undefined && isSame(join(path, name), file)) missing.delete(name);
    else remove(join(path, name));
  }
  for (const file of missing.values()) place(from, file, path);
}

function isSame(path: string, { ino, size, mtimeMs }: KeptFile): boolean {
  const stats = lstatSync(path);
  if (!stats.isFile()) return false;
  return ino > 0 ? stats.ino === ino : stats.size === size && Math.abs(stats.mtimeMs - mtimeMs) < TIME_MS;
}

function place(from: string, { kept, name, ino }: KeptFile, folder: string): void {
  const source = join(from, kept);
  if (ino > 0) linkSync(source, join(folder, name));
  else copyWithTime(source, join(folder, name), lstatSync(source));
}
