import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Waits until no job is due or running.
 * @param ms longest wait in milliseconds, by the system's clock
 * @returns whether it is so; false when the time is over or the signal aborts
 */
export async function waitUntilIdle({ jobs }: Pick<Deps, 'jobs'>, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + ms;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    if (await jobs.isIdle()) return true;
    if (signal.aborted || performance.now() >= end) return false;
    await pause(wait);
  }
}
