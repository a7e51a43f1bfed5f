import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/**
 * Starts a child out of this process. What breaks of its pipes is told by its end.
 * @throws Error where it cannot be started: with the code of the system, or `EAGAIN`
 */
export function spawnDirectly(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  // Of one that was not started there may be none, or such as lead nowhere.
  const pipes: readonly (Readable | Writable | null | undefined)[] = child.stdio ?? [];
  for (const pipe of pipes) pipe?.on('error', () => {});
  if (child.pid !== undefined) return child;
  // Why comes later.
  child.on('error', () => {});
  for (const pipe of pipes) pipe?.destroy();
  throw Object.assign(new Error(`${command} could not be started`), { code: 'EAGAIN' });
}
