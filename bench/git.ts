import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { lowerPriority } from '../src/git/process/index.ts';

/** The same numbers, from 0 to 1, in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PROCESSORS = availableParallelism();
/** What runs git on the upper half of the processors, where the system can do that. */
const HALF =
  process.platform === 'linux' && PROCESSORS > 1
    ? ['taskset', '--cpu-list', `${Math.ceil(PROCESSORS / 2)}-${PROCESSORS - 1}`, 'git']
    : [];

/**
 * Runs git and gives its output with the milliseconds it took, start of the process included.
 * @param options `elsewhere`: all that run so share half of the processors, and take what the server leaves of these, as clients on
 * another machine take nothing of the server's
 */
export async function timedGit(
  args: readonly string[],
  { elsewhere = false }: { elsewhere?: boolean } = {},
): Promise<{ ms: number; stdout: string }> {
  const started = performance.now();
  const [program = 'git', ...before] = elsewhere ? HALF : [];
  const child = spawn(program, [...before, ...args], {
    detached: elsewhere,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
  });
  if (elsewhere) lowerPriority(child, 19);
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

/** What git prints about a repository. */
export const gitText = async (dir: string, args: readonly string[]): Promise<string> =>
  (await timedGit(['--git-dir', dir, ...args])).stdout;

/** Makes a bare repository of a stream for `git fast-import`: packed, with a commit-graph. */
export async function makePacked(dir: string, stream: AsyncIterable<string>): Promise<void> {
  const temporary = `${dir}.new`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(dirname(dir), { recursive: true });
  await timedGit(['init', '-q', '--bare', '-b', 'main', temporary]);
  const child = spawn('git', ['--git-dir', temporary, 'fast-import', '--quiet', '--done'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  for await (const text of stream) if (!child.stdin.write(text)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await gitText(temporary, ['repack', '-adq', '--depth=50', '--window=10']);
  await gitText(temporary, ['commit-graph', 'write', '--reachable', '--changed-paths']);
  await rename(temporary, dir);
}
