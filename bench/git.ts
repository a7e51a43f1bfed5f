import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs git and gives its output with the milliseconds it took, start of the process included. */
export async function timedGit(args: readonly string[]): Promise<{ ms: number; stdout: string }> {
  const started = performance.now();
  const child = spawn('git', args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
  return { ms: performance.now() - started, stdout: Buffer.concat(chunks).toString() };
}

/** The middle of a few measurements. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
