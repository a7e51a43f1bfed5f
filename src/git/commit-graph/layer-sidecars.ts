import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing, isTaken } from '../files/index.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import type { CommitGraph } from './commit-graph.ts';

const FOLDER = 'objects/info/commit-graphs';
/** Interval in milliseconds at which a writer touches its file to show that it is alive. */
const BEAT_MS = 500;
/** Age in milliseconds at which an untouched file is abandoned. */
const ABANDONED_MS = 4_000;
/** Poll interval while another server writes, and maximum wait, in milliseconds. */
const POLL_MS = 200;
const MAX_WAIT_MS = 10 * 60_000;

/** Whether the sidecar files of a layer belong to this repository and not to an alternate. */
export const ownsLayer = (dir: string, { pathIndexFile }: GraphLayer): boolean =>
  dirname(pathIndexFile) === join(dir, FOLDER);

const isAbandoned = (mtimeMs: number): boolean => Math.abs(Date.now() - mtimeMs) > ABANDONED_MS;

/** Unfinished copies of a sidecar file: being written, or left by a killed server. */
async function unfinishedOf(path: string): Promise<{ file: string; abandoned: boolean }[]> {
  const names = await namesIn(dirname(path));
  const unfinished: { file: string; abandoned: boolean }[] = [];
  for (const name of names.filter((each) => each.startsWith(`${basename(path)}.`))) {
    const file = join(dirname(path), name);
    const stats = await stat(file).catch(() => null);
    if (stats !== null) unfinished.push({ file, abandoned: isAbandoned(stats.mtimeMs) });
  }
  return unfinished;
}

/**
 * Waits while another server writes a sidecar file, so that the work is not done twice.
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
 * Writes a sidecar file and replaces the previous one once it is complete.
 * @param write receives the file and its temporary path
 * @throws file system errors and those of `write`; the previous file then stays
 */
export async function writeSidecar(
  path: string,
  write: (file: FileHandle, path: string) => Promise<void>,
): Promise<void> {
  // Not recursive: the parent is missing if the repository was removed.
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

/** Removes sidecar files of layers that are no longer in a repository's commit-graph. */
export async function removeStaleSidecars(dir: string, graph: CommitGraph): Promise<void> {
  const folder = join(dir, FOLDER);
  const names = await namesIn(folder);
  const files = graph.layers.flatMap(({ pathIndexFile, statsFile }) => [pathIndexFile, statsFile]);
  const currentNames = new Set(files.map((file) => basename(file)));
  for (const name of names) {
    const [, made] = /^graph-[0-9a-f]+\.(?:paths|stats)(.*)$/.exec(name) ?? [];
    if (made === undefined || currentNames.has(name)) continue;
    if (made !== '') {
      const stats = await stat(join(folder, name)).catch(() => null);
      if (stats !== null && !isAbandoned(stats.mtimeMs)) continue;
    }
    await rm(join(folder, name), { force: true });
  }
}
