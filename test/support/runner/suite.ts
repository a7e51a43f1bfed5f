import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Results } from './report.ts';

/** Ends a file that hangs; no test takes anywhere near as long. */
const FILE_TIMEOUT_MS = 300_000;

/**
 * Runs test files, each in a process of its own, two at once.
 * @param files relative to the root
 * @param env added to this process's environment
 * @param signal ends the runner and every process it started
 */
export async function runFiles(
  root: string,
  files: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Results> {
  const reporter = join(import.meta.dirname, 'report.ts');
  const options = ['--test-concurrency=2', `--test-timeout=${FILE_TIMEOUT_MS}`, `--test-reporter=${reporter}`];
  const runner = spawn(process.execPath, ['--test', ...options, ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that one signal ends the runner together with the files it runs.
    detached: true,
  });
  const end = () => {
    if (runner.pid !== undefined && runner.exitCode === null) process.kill(-runner.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', end, { once: true });
  let output = '';
  runner.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(runner, 'close');
  signal.removeEventListener('abort', end);
  if (signal.aborted) return { passed: 0, skipped: 0, failures: [], slowest: [] };
  try {
    return JSON.parse(output) as Results;
  } catch {
    const text = `node --test gave no results: ${output.slice(0, 2_000)}`;
    return { passed: 0, skipped: 0, failures: [{ name: 'the runner itself', file: '', line: 1, text }], slowest: [] };
  }
}
