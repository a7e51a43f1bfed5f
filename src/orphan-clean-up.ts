import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from './deps.ts';
import { killOrphans } from './git/git.orphans.ts';

/** What tells which files are older than this process. @param ago milliseconds since it began */
export function processStart(ago = 0): Pick<Deps, 'startedAt' | 'uptimeMs'> {
  const begun = performance.now() - ago;
  return { startedAt: new Date(Date.now() - ago), uptimeMs: () => performance.now() - begun };
}

/** The clock by which files get their times may be behind by one tick of the kernel, in milliseconds. */
const TICK_MS = 20;

/**
 * Ends and removes what a killed process has left at work, before a repository is looked at and while this process has written to none.
 * Whatever is in one then counts as left over.
 */
export async function cleanUpOrphans(deps: Deps): Promise<void> {
  const { config, log } = deps;
  await rm(join(config.dataDir, 'tmp'), { recursive: true, force: true });
  const ended = await killOrphans(config.storages.map(({ path }) => path));
  // Until now they may have written, those, too, that have ended meanwhile; this process has not.
  Object.assign(deps, processStart(ended === 0 ? TICK_MS : 0));
  if (ended === 0) return;
  log.log('warn', 'git processes of a killed server were ended', { processes: ended });
  await sleep(TICK_MS);
}
