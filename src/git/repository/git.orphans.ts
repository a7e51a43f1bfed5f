import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Grace period for their clean-up, and interval between checks, in milliseconds. */
const GRACE = 3_000;
const PAUSE = 10;

interface Orphan {
  pid: number;
  group: number;
}

/**
 * Ends the git processes of a killed server, so that none moves a reference or holds a lock later. Called at the start
 * of a server that runs alone, since all earlier processes count as orphans. Requires `/proc`; elsewhere such processes
 * end once their pipes are closed.
 * @param folders the storages
 * @returns number of ended processes
 */
export async function killOrphans(folders: readonly string[]): Promise<number> {
  const orphans = await orphansIn(folders);
  let left = orphans;
  for (let waited = 0; left.length > 0; waited += PAUSE) {
    // SIGTERM first lets git remove its locks and temporary files.
    if (waited === 0 || waited >= GRACE) signal(left, waited === 0 ? 'SIGTERM' : 'SIGKILL');
    if (waited > 2 * GRACE) break;
    await sleep(PAUSE);
    left = await orphansIn(folders);
  }
  return orphans.length;
}

async function orphansIn(folders: readonly string[]): Promise<Orphan[]> {
  let names: string[];
  try {
    names = await readdir('/proc');
  } catch {
    return [];
  }
  const looked = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => look(name, folders)));
  return looked.filter((orphan) => orphan !== null);
}

async function look(pid: string, folders: readonly string[]): Promise<Orphan | null> {
  try {
    const cwd = await readlink(`/proc/${pid}/cwd`);
    if (!folders.some((folder) => cwd.startsWith(`${folder}/`))) return null;
    // Only children of a server have this environment; processes started by a user are left alone.
    const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0');
    if (!variables.includes('HOME=/nonexistent') || !variables.includes('GIT_NO_REPLACE_OBJECTS=1')) return null;
    const group = /\) \S \d+ (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'latin1'))?.[1];
    return { pid: Number(pid), group: Number(group) };
  } catch {
    // The process has ended or belongs to another user.
    return null;
  }
}

/** Every git child leads a process group that includes its hooks. */
function signal(orphans: readonly Orphan[], name: NodeJS.Signals): void {
  for (const { pid, group } of orphans) {
    try {
      process.kill(pid === group ? -pid : pid, name);
    } catch {
      // The process has ended.
    }
  }
}
