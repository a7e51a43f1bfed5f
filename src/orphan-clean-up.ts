import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from './deps.ts';
import { killOrphans } from './git/repository/index.ts';

/** Timestamps of files can lag behind by one tick of the kernel, in milliseconds. */
const TICK_MS = 20;

/**
 * Ends orphaned processes of a killed server and removes what they left, before any repository is read or written.
 * Temporary files in a repository then count as left over.
 */
export async function cleanUpOrphans(deps: Deps): Promise<void> {
  const { config, log } = deps;
  await rm(join(config.dataDir, 'tmp'), { recursive: true, force: true });
  const ended = await killOrphans(config.storages.map(({ path }) => path));
  // The orphans, including those that ended meanwhile, may have written until now; this process has not.
  // What they wrote last is older than the start by more than their times can be wrong, what it writes itself younger.
  if (ended > 0) await sleep(2 * TICK_MS);
  deps.start.moveTo(TICK_MS);
  if (ended > 0) log.log('warn', 'git processes of a killed server were terminated', { processes: ended });
}
