import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { flushLater } from './core/flush-later.ts';
import { StartupError } from './core/startup-error.ts';
import { isUnsynced } from './core/unsynced-folders.ts';

/** While it is in the data folder, files of a seed may not have reached the disk. It holds the boot of the machine. */
const MARK = 'seed-unflushed';

/**
 * Flushes what a seed has left unflushed whose process was killed. To be called before the data are opened.
 * @throws StartupError if the machine went down meanwhile; the file system's errors
 */
export async function flushKilledSeed(config: Config): Promise<void> {
  const begun = markIn(config.dataDir);
  if (begun === null) return;
  if (begun !== boot()) {
    throw new StartupError(
      `The machine went down while ${config.dataDir} was seeded: files in it may be damaged. Remove the folder, and start again.`,
    );
  }
  await flushLater(foldersOf(config), async () => {});
  await removeMark(config);
}

/**
 * Applies a seed. If it is the first thing in the data folder, its files are flushed at the end, all together: nobody has
 * anything in it to lose before.
 * @param firstStart whether the data folder was empty
 * @throws errors of `apply`, after what it has made was flushed; the file system's errors
 */
export async function withDeferredFlush<T>(config: Config, firstStart: boolean, apply: () => Promise<T>): Promise<T> {
  const { dataDir } = config;
  if (isUnsynced(dataDir) || !firstStart) return apply();
  await flushing(join(dataDir, MARK), 'w', (handle) => handle.writeFile(boot()));
  await flushing(dataDir, 'r');
  const [outcome] = await flushLater(foldersOf(config), () => Promise.allSettled([apply()]));
  // Not if the flush has failed.
  await removeMark(config);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

const foldersOf = ({ storages, dataDir }: Config): string[] => [
  ...storages.map(({ path }) => path),
  join(dataDir, 'blobs'),
];

async function removeMark({ dataDir }: Config): Promise<void> {
  await rm(join(dataDir, MARK));
  await flushing(dataDir, 'r');
}

/** Which start of the machine this is. */
function boot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere, when it was, to a minute.
    return String(Math.round((Date.now() / 1_000 - uptime()) / 60));
  }
}

function markIn(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, MARK), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function flushing(
  path: string,
  flags: string,
  work: (handle: Awaited<ReturnType<typeof open>>) => unknown = () => {},
): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await work(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
