import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing, isTaken } from '../durable.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import type { CommitGraph } from './commit-graph.ts';

const FOLDER = 'objects/info/commit-graphs';
/** Who writes a file says so often that they are still there, by the time of its last change. */
const BEAT_MS = 500;
/** A file that was left alone for so long belongs to a server that is gone. */
const ABANDONED_MS = 4_000;
/** How often it is looked whether another server has ended its writing, and how long that is waited for, in milliseconds. */
const POLL_MS = 200;
const MAX_WAIT_MS = 10 * 60_000;

/** Whether what lies beside a layer belongs to this repository and not to one that it borrows from. */
export const ownsLayer = (dir: string, { pathIndexFile }: GraphLayer): boolean =>
  dirname(pathIndexFile) === join(dir, FOLDER);

const isAbandoned = (mtimeMs: number): boolean => Math.abs(Date.now() - mtimeMs) > ABANDONED_MS;

/** What was made of a file that is being written, or was when a server was killed. */
async function unfinishedOf(path: string): Promise<{ file: string; abandoned: boolean }[]> {
  const names = await namesIn(dirname(path));
  const found: { file: string; abandoned: boolean }[] = [];
  for (const name of names.filter((each) => each.startsWith(`${basename(path)}.`))) {
    const file = join(dirname(path), name);
    const stats = await stat(file).catch(() => null);
    if (stats !== null) found.push({ file, abandoned: isAbandoned(stats.mtimeMs) });
  }
  return found;
}

/**
 * Waits while another server writes a file beside a layer, so that two do not do the same.
 * @throws the reason of the signal
 */
export async function waitForOtherWriter(path: string, signal: AbortSignal | undefined): Promise<void> {
  for (const until = performance.now() + MAX_WAIT_MS; performance.now() < until; await sleep(POLL_MS)) {
    signal?.throwIfAborted();
    const unfinished = await unfinishedOf(path);
    for (const { file, abandoned } of unfinished) if (abandoned) await rm(file, { force: true });
    if (unfinished.every(({ abandoned }) => abandoned)) return;
  }
}

/**
 * Writes a file beside a layer, in the place of an earlier one, once it is whole.
 * @param write is given the file, and where it is until then
 * @throws what the file system and `write` throw; then there is what there was
 */
export async function writeSidecar(
  path: string,
  write: (file: FileHandle, path: string) => Promise<void>,
): Promise<void> {
  // Not the folders above it: they are gone where the repository is.
  await mkdir(dirname(path)).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
  const fresh = `${path}.${randomUUID()}`;
  const file = await open(fresh, 'wx', 0o444);
  const beat = setInterval(() => {
    const now = new Date();
    file.utimes(now, now).catch(() => {});
  }, BEAT_MS).unref();
  try {
    await write(file, fresh);
    await file.close();
    await rename(fresh, path);
  } catch (error) {
    await file.close();
    await rm(fresh, { force: true });
    throw error;
  } finally {
    clearInterval(beat);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

/** Removes what lies beside layers that a repository's commit-graph does not have any more. */
export async function removeStaleSidecars(dir: string, graph: CommitGraph): Promise<void> {
  const folder = join(dir, FOLDER);
  const names = await namesIn(folder);
  const files = graph.layers.flatMap(({ pathIndexFile, statsFile }) => [pathIndexFile, statsFile]);
  const wanted = new Set(files.map((file) => basename(file)));
  for (const name of names) {
    const [, made] = /^graph-[0-9a-f]+\.(?:paths|stats)(.*)$/.exec(name) ?? [];
    if (made === undefined || wanted.has(name)) continue;
    if (made !== '') {
      const stats = await stat(join(folder, name)).catch(() => null);
      if (stats !== null && !isAbandoned(stats.mtimeMs)) continue;
    }
    await rm(join(folder, name), { force: true });
  }
}
