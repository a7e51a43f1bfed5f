/** What `run.ts` brings clients onto the machine with. */
import { spawnSync } from 'node:child_process';

const PREPARE_MS = 600_000;

/** Why a client cannot be tested on this machine. */
export class Missing extends Error {
  override name = 'Missing';
}

/** Runs a program to its end. @throws Missing when it is not there, or fails */
export function tool(
  command: string,
  args: readonly string[],
  cwd = import.meta.dirname,
  env: Record<string, string> = {},
): void {
  const options = { cwd, encoding: 'utf8', timeout: PREPARE_MS, env: { ...process.env, ...env } } as const;
  const { status, error, stderr } = spawnSync(command, args, options);
  if (error !== undefined) throw new Missing(`${command} cannot be run: ${error.message}`);
  const reason = stderr.slice(-500).replace(/\s+/g, ' ').trim();
  if (status !== 0) throw new Missing(`${command} ${args.join(' ')} failed: ${reason}`);
}
