import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';

/** A file of a snapshot. */
export interface KeptFile {
  name: string;
  /** Its name among the files of the snapshot. */
  kept: string;
  /** Inode that the snapshot and the installation share; 0 for a copy. */
  ino: number;
  size: number;
  mtimeMs: number;
}

/** A folder of a snapshot. Folders stand before those in them. */
export interface KeptFolder {
  /** Name of its root, and its path in there; empty for the root itself. */
  root: string;
  path: string;
  mode: number;
  files: KeptFile[];
  /** Names of the folders in it. */
  folders: string[];
  /** Equal for folders with the same content. */
  signature: string;
}

/** Folders of an installation whose content snapshots hold, by name. */
export function rootsOf({ dataDir, storages }: Pick<Config, 'dataDir' | 'storages'>): ReadonlyMap<string, string> {
  return new Map([
    ['blobs', join(dataDir, 'blobs')],
    ...storages.map(({ name, path }): [string, string] => [`storage ${name}`, path]),
  ]);
}

/** @throws Error for a storage that is not configured */
export function pathOf(roots: ReadonlyMap<string, string>, { root, path }: Pick<KeptFolder, 'root' | 'path'>): string {
  const folder = roots.get(root);
  if (folder === undefined) throw new Error(`the snapshot holds ${root}, which is not configured`);
  return path === '' ? folder : join(folder, path);
}

/** The signature of a folder: equal ones hold the same files, by inode, and the same folders. */
export const signatureOf = ({ mode, files, folders }: Pick<KeptFolder, 'mode' | 'files' | 'folders'>): string =>
  hash(
    'sha1',
    JSON.stringify([
      mode,
      folders,
      files.map(({ name, ino, size, mtimeMs }) => (ino > 0 ? [name, ino] : [name, size, mtimeMs])),
    ]),
    'base64',
  );

/** Whether a folder holds files that are changed in place, which its own time does not tell. */
export const hasCopies = ({ files }: Pick<KeptFolder, 'files'>): boolean => files.some(({ ino }) => ino === 0);

const LIST = 'files.json';

export function writeList(folder: string, list: readonly KeptFolder[]): void {
  writeFileSync(join(folder, LIST), JSON.stringify(list));
}

export const readList = (folder: string): KeptFolder[] => JSON.parse(readFileSync(join(folder, LIST), 'utf8'));
