import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/**
 * Starts a child from this process. Broken pipes are reported by its exit.
 * @throws Error if it cannot be started: with the code of the system, or `EAGAIN`
 */
export function spawnDirectly(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  // A failed start may leave no pipes, or broken ones.
  const pipes: readonly (Readable | Writable | null | undefined)[] = child.stdio ?? [];
  for (const pipe of pipes) pipe?.on('error', () => {});
  if (child.pid !== undefined) return child;
  // The reason is reported later.
  child.on('error', () => {});
  for (const pipe of pipes) pipe?.destroy();
  throw Object.assign(new Error(`${command} could not be started`), { code: 'EAGAIN' });
}
