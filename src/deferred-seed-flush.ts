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

/** @throws StartupError if the machine went down while files of a seed were not flushed */
export function assertSeedFlushed({ dataDir }: Config): void {
  const begun = markIn(dataDir);
  if (begun === null || begun === boot()) return;
  throw new StartupError(
    `The machine went down while ${dataDir} was seeded: files in it may be damaged. Remove the folder, and start again.`,
  );
}

/**
 * Applies a seed. If it is the first thing in the data folder, its files are flushed at the end, all together: nobody has
 * anything in it to lose before.
 * @param firstStart whether the data folder was empty
 * @throws errors of `apply`
 */
export async function withDeferredFlush<T>(config: Config, firstStart: boolean, apply: () => Promise<T>): Promise<T> {
  const { dataDir, storages } = config;
  // One that was killed has left files unflushed, too.
  if (isUnsynced(dataDir) || (!firstStart && markIn(dataDir) === null)) return apply();
  const mark = join(dataDir, MARK);
  await flushing(mark, 'w', (handle) => handle.writeFile(boot()));
  await flushing(dataDir, 'r');
  try {
    return await flushLater([...storages.map(({ path }) => path), join(dataDir, 'blobs')], apply);
  } finally {
    await rm(mark);
    await flushing(dataDir, 'r');
  }
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
