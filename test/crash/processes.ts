import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessInfo {
  pid: number;
  group: number;
  command: string;
}

const WAIT_MS = 100;
const MAX_WAITS = 200;

/** The processes that work inside a data folder: git, and the hooks it runs. The server itself works elsewhere. */
export function processesIn(dataDir: string): ProcessInfo[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
      const inside = readlinkSync(`/proc/${name}/cwd`).startsWith(dataDir) || command.includes(`--git-dir=${dataDir}`);
      if (!inside) return [];
      const group = /\) \S \d+ (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1];
      return [{ pid: Number(name), group: Number(group), command }];
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
      return [];
    }
  });
}

/** Kills processes with their groups. Git children of the server lead groups of their own. */
export function killGroups(processes: readonly ProcessInfo[]): void {
  for (const { pid, group } of processes) {
    if (pid !== group) continue;
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Waits until none of some processes runs any more. @returns those that still do after 20 s */
export async function waitForNone(dataDir: string, processes: readonly ProcessInfo[]): Promise<ProcessInfo[]> {
  const look = () => {
    const now = new Set(processesIn(dataDir).map(({ pid }) => pid));
    return processes.filter(({ pid }) => now.has(pid));
  };
  let left = look();
  for (let waits = 0; left.length > 0 && waits < MAX_WAITS; waits += 1) {
    await sleep(WAIT_MS);
    left = look();
  }
  return left;
}
