import { setPriority } from 'node:os';
import type { Child } from './spawner/child.ts';

/**
 * Nice values. What somebody waits for stays near other programs, so that a busy machine does not hold it up; of the rest all that
 * counts is that it ends.
 */
export const NICE = { transport: 2, background: 10 } as const;

/**
 * Lets the server, and what answers sooner, go before a child, and before all that the child starts from now on, where processors
 * are short.
 * @param child one that runs
 */
export function lowerPriority({ pid }: Child, nice: number): void {
  // By 0 this process would lower itself.
  if (pid === undefined || pid === 0) return;
  try {
    setPriority(pid, nice);
  } catch {
    // It has ended already.
  }
}
