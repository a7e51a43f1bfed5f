import { setPriority } from 'node:os';
import type { Child } from './spawner/child.ts';

/**
 * Nice values. Work with a waiting client stays near other programs, so that a busy machine does not starve it;
 * background work only has to finish.
 */
export const NICE = { transport: 2, background: 10 } as const;

/**
 * Lowers the priority of a child and its future children relative to the server.
 * @param child a running child
 */
export function lowerPriority({ pid }: Child, nice: number): void {
  // 0 would mean this process.
  if (pid === undefined || pid === 0) return;
  try {
    setPriority(pid, nice);
  } catch {
    // The child has exited.
  }
}
