import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing, isTaken } from '../durable.ts';
import type { CommitGraph } from './commit-graph.ts';
import type { GraphLayer } from './layer.ts';

const FOLDER = 'objects/info/commit-graphs';
/** A file to which nothing was written for so long belongs to a server that is gone. */
const ABANDONED_MS = 10 * 60_000;

/** Whether what lies beside a layer belongs to this repository and not to one that it borrows from. */
export const isOwn = (dir: string, { pathIndexFile }: GraphLayer): boolean =>
  dirname(pathIndexFile) === join(dir, FOLDER);

/**
 * Writes a file beside a layer, in the place of an earlier one, once it is whole.
 * @param write is given the file, and where it is until then
 * @throws what the file system and `write` throw; then there is what there was
 */
export async function writeBeside(
  path: string,
  write: (file: FileHandle, path: string) => Promise<void>,
): Promise<void> {
  // Not the folders above it: they are gone where the repository is.
  await mkdir(dirname(path)).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
  const fresh = `${path}.${randomUUID()}`;
  const file = await open(fresh, 'wx', 0o444);
  try {
    await write(file, fresh);
    await file.close();
    await rename(fresh, path);
  } catch (error) {
    await file.close();
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Removes what lies beside layers that a repository's commit-graph does not have any more. */
export async function removeOthers(dir: string, graph: CommitGraph): Promise<void> {
  const folder = join(dir, FOLDER);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files = graph.layers.flatMap(({ pathIndexFile, statsFile }) => [pathIndexFile, statsFile]);
  const wanted = new Set(files.map((file) => basename(file)));
  for (const name of names) {
    const [, made] = /^graph-[0-9a-f]+\.(?:paths|stats)(.*)$/.exec(name) ?? [];
    if (made === undefined || wanted.has(name)) continue;
    if (made !== '') {
      const stats = await stat(join(folder, name)).catch(() => null);
      if (stats !== null && Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    }
    await rm(join(folder, name), { force: true });
  }
}
