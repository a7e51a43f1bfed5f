import { access, constants, statfs } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Deps } from '../deps.ts';

/** Free space below which the disk counts as full: a small push and the log of the database still need some. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

type Check = { status: 'ok' } | { status: 'failed'; message: string };

/** Conditions for successful requests, by the name in the readiness answer. */
export async function checkReadiness(deps: Deps): Promise<Record<'db_check' | 'disk_check' | 'git_check', Check>> {
  const [db_check, disk_check, git_check] = await Promise.all([
    check('the database cannot be reached', () => deps.database.check()),
    check('the disk is full or cannot be used', () => checkDisks(deps)),
    check('git cannot be found on PATH', findGit),
  ]);
  return { db_check, disk_check, git_check };
}

async function check(message: string, test: () => Promise<void>): Promise<Check> {
  try {
    await test();
    return { status: 'ok' };
  } catch {
    return { status: 'failed', message };
  }
}

async function checkDisks({ config }: Deps): Promise<void> {
  for (const path of [config.dataDir, ...config.storages.map((storage) => storage.path)]) {
    const { bavail, bsize, blocks } = await statfs(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    // Some file systems report no size.
    if (blocks > 0 && bavail * bsize < LEAST_FREE_BYTES) throw new Error(`${path} is full`);
  }
}

/** Searches the folders of PATH rather than starting git: probes come every few seconds. */
async function findGit(): Promise<void> {
  const folders = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter);
  await Promise.any(folders.map((folder) => access(join(folder, 'git'), constants.X_OK)));
}
