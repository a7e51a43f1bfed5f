import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, type Stats, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../git/files/index.ts';
import { type KeptFile, type KeptFolder, signatureOf } from './file-lists.ts';
import type { FolderStates } from './folder-states.ts';

/** Folder of the files of a snapshot. */
export const FILES = 'files';

/**
 * Files that are replaced, never changed: objects, refs, packed refs, HEAD, configurations, blobs. They are shared
 * by hard links; others, such as FETCH_HEAD, are copied.
 */
const REPLACED = /(?:^|\/)(?:objects|refs)\/|\/(?:HEAD|config|packed-refs)$|^\w\w\/\w\w\/\w{64}$/;

const isOtherDevice = (error: unknown): boolean =>
  ['EXDEV', 'EMLINK', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Copies a file with its time. @throws the file system's error */
export function copyWithTime(from: string, to: string, { atimeMs, mtimeMs }: Pick<Stats, 'atimeMs' | 'mtimeMs'>): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  utimesSync(to, atimeMs / 1_000, mtimeMs / 1_000);
}

function emptyRoot(root: string): KeptFolder {
  const folder = { root, path: '', mode: 0o700, files: [], folders: [] };
  return { ...folder, signature: signatureOf(folder) };
}

/**
 * Keeps all files below some folders, in one turn of the event loop: by hard links where possible.
 * @param roots folders by name
 * @param to folder of the snapshot
 * @param states is told what the folders hold
 * @returns the folders, and the bytes of their files
 * @throws the file system's error
 */
export function takeFiles(
  roots: ReadonlyMap<string, string>,
  to: string,
  states: FolderStates,
): { list: KeptFolder[]; bytes: number } {
  const list: KeptFolder[] = [];
  let bytes = 0;
  mkdirSync(join(to, FILES), { mode: 0o700 });
  let count = 0;
  const keep = (from: string, path: string, name: string): KeptFile | null => {
    const stats = lstatSync(join(from, name), { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) return null;
    const kept = String(count);
    const target = join(to, FILES, kept);
    let { ino } = stats;
    try {
      if (REPLACED.test(join(path, name))) linkSync(join(from, name), target);
      else ino = 0;
    } catch (error) {
      if (isMissing(error)) return null;
      if (!isOtherDevice(error)) throw error;
      ino = 0;
    }
    if (ino === 0) copyWithTime(join(from, name), target, stats);
    count += 1;
    bytes += stats.size;
    return { name, kept, ino, size: stats.size, mtimeMs: Math.trunc(stats.mtimeMs) };
  };
  states.begin();
  for (const [root, base] of roots) {
    const open = [''];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const from = join(base, path);
      const stats = lstatSync(from, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) {
        // A root that does not exist yet is empty.
        if (path === '') list.push(emptyRoot(root));
        continue;
      }
      const folder: KeptFolder = {
        root,
        path,
        mode: Number(stats.mode & 0o777n),
        files: [],
        folders: [],
        signature: '',
      };
      for (const entry of readdirSync(from, { withFileTypes: true })) {
        if (entry.isDirectory()) {
          folder.folders.push(entry.name);
          open.push(join(path, entry.name));
        } else if (path !== '') {
          // What lies in a root itself belongs to the server: locks, and the id of the installation.
          const file = keep(from, path, entry.name);
          if (file !== null) folder.files.push(file);
        }
      }
      folder.folders.sort();
      folder.files.sort((one, other) => (one.name < other.name ? -1 : 1));
      folder.signature = signatureOf(folder);
      list.push(folder);
      states.note(from, stats, folder.signature);
    }
  }
  states.end();
  return { list, bytes };
}
