import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../git/files/index.ts';
import type { HolderType } from '../repositories/holder.ts';
import type { FileFacts } from './json-lines.ts';

/*
 * A folder of backups:
 *   snapshots/<name>/     one backup: manifest.json, database.jsonl.gz, content.jsonl.gz, secrets.key, host keys of SSH
 *   content/              files that never change, shared by all backups:
 *     repositories/<storage>/<disk path>.git/objects/...
 *     blobs/ab/cd/<sha256>
 * A backup counts once its folder has its name; until then the name ends in `.part`.
 */

const SNAPSHOT = /^\d{8}T\d{9}Z$/;

/** Description of one backup. */
export interface Manifest {
  format: 1;
  /** The instant of the backup. */
  taken_at: string;
  finished_at: string;
  /** Version of the program that made the backup. */
  program: string;
  engine: 'sqlite' | 'postgres';
  /** The last applied migration of its database. */
  migration: string;
  database: FileFacts & { rows: number };
  content: FileFacts & { repositories: number; blobs: number };
  /** What could not be copied, such as the repository of a project whose folder is missing. */
  problems: string[];
}

/** Holder of a repository: `project:1`, `snippet:1` or `wiki:1`. */
export type HolderKey = `${HolderType}:${number}`;

/** A repository in the backup, one line of `content.jsonl.gz`. */
export interface RepositoryLine {
  holder: HolderKey;
  storage: string;
  disk_path: string;
  /** Content of its HEAD and config files. */
  head: string;
  config: string;
  /** Full names and object ids, in byte order. */
  refs: [name: string, oid: string][];
  /** Paths below `objects/` of its object files. */
  objects: string[];
}

/** A list of blobs, the other kind of line. */
export interface BlobsLine {
  blobs: string[];
}

export type ContentLine = RepositoryLine | BlobsLine;

export const snapshotsIn = (folder: string): string => join(folder, 'snapshots');
export const blobsIn = (folder: string): string => join(folder, 'content', 'blobs');
export const objectsIn = (
  folder: string,
  { storage, disk_path }: Pick<RepositoryLine, 'storage' | 'disk_path'>,
): string => join(folder, 'content', 'repositories', storage, `${disk_path}.git`, 'objects');

/** Path of a blob below a blob folder. */
export const blobPath = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

/** Name of a backup by its instant; names sort by time. */
export const snapshotName = (takenAt: Date): string => takenAt.toISOString().replace(/[-:.]/g, '');

/** Names of the complete backups in a folder, oldest first. */
export async function snapshotNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(snapshotsIn(folder))).filter((name) => SNAPSHOT.test(name)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** @throws Error if this version does not support the format of the backup */
export async function readManifest(folder: string, name: string): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(snapshotsIn(folder), name, 'manifest.json'), 'utf8')) as Manifest;
  if (manifest.format !== 1)
    throw new Error(`Backup ${name} has format ${manifest.format}, but this version only reads format 1`);
  return manifest;
}
