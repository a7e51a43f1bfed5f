import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './spawner/child.ts';

/** Nice values: what serves clients as long as they like, and what nobody waits for. */
export const NICE = { transport: 15, background: 19 } as const;

/** Linux changes the share of one session in a tenth of a second for those who are not its administrator. */
const AGAIN_MS = 120;
const TRIES = 100;

/**
 * Lets the server go before a child, and before all that the child starts from now on, where processors are short.
 *
 * Where no control group shares processors out, Linux does it by session (autogroups, sched(7)), of which each child has
 * one: there the nice value of a process counts for nothing beside the server, and that of its session does.
 * @param child one that runs
 */
export function lowerPriority(child: Child, nice: number): void {
  const { pid } = child;
  // By 0 this process would lower itself.
  if (pid === undefined || pid === 0) return;
  try {
    setPriority(pid, nice);
  } catch {
    // It has ended already.
  }
  if (process.platform === 'linux') void lowerSession(child, pid, nice);
}

async function lowerSession(child: Child, pid: number, nice: number): Promise<void> {
  for (let tries = 0; tries < TRIES && child.exitCode === null && child.signalCode === null; tries += 1) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(nice));
    } catch (error) {
      // Where there are no such groups its own value is what counts.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
    await wait(AGAIN_MS, undefined, { ref: false });
  }
}
