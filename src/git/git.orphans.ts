import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long they may take to clear up behind themselves, and between two looks, in milliseconds. */
const GRACE = 3_000;
const PAUSE = 10;

interface Orphan {
  pid: number;
  group: number;
}

/**
 * Ends the git processes that a killed server has left at work, so that none of them moves a reference or holds a lock
 * later. For the start of a server that is alone: whatever the server itself has started before counts as left over.
 * It needs `/proc`; elsewhere nothing is found, and such processes end by themselves once their pipes are closed.
 * @param folders the storages
 * @returns how many there were
 */
export async function killOrphans(folders: readonly string[]): Promise<number> {
  const found = await orphansIn(folders);
  let left = found;
  for (let waited = 0; left.length > 0; waited += PAUSE) {
    // Politely first: git then removes its locks and temporary files.
    if (waited === 0 || waited >= GRACE) signal(left, waited === 0 ? 'SIGTERM' : 'SIGKILL');
    if (waited > 2 * GRACE) break;
    await sleep(PAUSE);
    left = await orphansIn(folders);
  }
  return found.length;
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
    // Only children of a server have this environment; what a person runs there is left alone.
    const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0');
    if (!variables.includes('HOME=/nonexistent') || !variables.includes('GIT_NO_REPLACE_OBJECTS=1')) return null;
    const group = /\) \S \d+ (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'latin1'))?.[1];
    return { pid: Number(pid), group: Number(group) };
  } catch {
    // It has ended, or belongs to somebody else.
    return null;
  }
}

/** Every git child of a server leads a group, with the hooks it runs. */
function signal(orphans: readonly Orphan[], name: NodeJS.Signals): void {
  for (const { pid, group } of orphans) {
    try {
      process.kill(pid === group ? -pid : pid, name);
    } catch {
      // It has ended.
    }
  }
}
