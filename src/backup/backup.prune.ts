import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../git/files/index.ts';
import { readJsonLines } from './json-lines.ts';
import { blobsIn, type ContentLine, objectsIn, snapshotNames, snapshotsIn } from './layout.ts';

/** Content is processed in parts, so that not all names are in memory at once. */
const PARTS = [...'0123456789abcdef'];

/**
 * Deletes all backups but the newest, and the files that only they used. Must not run during a backup.
 * @param keep number of backups to keep
 * @returns names of the deleted backups
 */
export async function pruneBackups(folder: string, keep: number): Promise<string[]> {
  const names = await snapshotNames(folder);
  const old = names.slice(0, Math.max(0, names.length - keep));
  if (old.length === 0) return [];
  for (const name of old) await rm(join(snapshotsIn(folder), name), { recursive: true });
  const remaining = names.slice(old.length);
  for (const part of PARTS) await prunePart(folder, part, await needed(folder, remaining, part));
  return old;
}

/** Paths below `content/` that the backups use, for repositories and blobs whose hash begins with a digit. */
async function needed(folder: string, names: readonly string[], part: string): Promise<Set<string>> {
  const paths = new Set<string>();
  for (const name of names) {
    for await (const line of readJsonLines<ContentLine>(join(snapshotsIn(folder), name, 'content.jsonl.gz'))) {
      if ('blobs' in line) {
        for (const sha256 of line.blobs) if (sha256.startsWith(part)) paths.add(sha256);
      } else if (line.disk_path.startsWith(`@hashed/${part}`)) {
        const objects = objectsIn(folder, line);
        for (const file of line.objects) paths.add(join(objects, file));
      }
    }
  }
  return paths;
}

async function prunePart(folder: string, part: string, paths: ReadonlySet<string>): Promise<void> {
  const blobs = blobsIn(folder);
  for (const outer of await namesIn(blobs)) {
    if (!outer.startsWith(part)) continue;
    for (const inner of await namesIn(join(blobs, outer))) {
      for (const name of await namesIn(join(blobs, outer, inner))) {
        if (!paths.has(name)) await rm(join(blobs, outer, inner, name), { force: true });
      }
    }
  }
  const repositories = join(folder, 'content', 'repositories');
  for (const storage of await namesIn(repositories)) {
    const hashed = join(repositories, storage, '@hashed');
    for (const outer of await namesIn(hashed)) {
      if (outer.startsWith(part)) await pruneFolder(join(hashed, outer), paths);
    }
  }
}

/** Deletes unused files below a folder, and folders that become empty. */
async function pruneFolder(folder: string, paths: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await pruneFolder(path, paths);
    else if (!paths.has(path)) await rm(path, { force: true });
  }
  if ((await readdir(folder)).length === 0) await rm(folder, { recursive: true });
}
