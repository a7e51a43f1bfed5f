/**
 * Runs commands by a small process. A fork copies the page tables of the process that forks: out of a test process, which
 * holds the whole server, a start takes twice the processor time of what git then does.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFrame, writeFrame } from './frames.ts';

/** What is to be run; its standard input goes beside it. */
export interface Command {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** How a command ended; its outputs go beside it. */
export interface Outcome {
  status: number | null;
  signal: string | null;
  /** Why it could not be run. */
  error: string | null;
}

export interface SyncOptions {
  /** That of this process when absent. */
  cwd?: string;
  /** That of this process when absent. */
  env?: Command['env'];
  input?: string | Buffer;
}

const SMALL = ['--max-semi-space-size=1', '--no-opt', '--single-threaded'];

class ForkServer {
  readonly #requests: number;
  readonly #answers: number;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'stithy-fork-'));
    const pipes = [join(folder, 'requests'), join(folder, 'answers')];
    execFileSync('mkfifo', pipes);
    const program = fileURLToPath(new URL('./fork-server.program.ts', import.meta.url));
    const child = spawn(process.execPath, [...SMALL, program, ...pipes], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (child.pid === undefined) throw new Error('The process that runs commands could not be started.');
    // It ends when this process does, which has closed its end of the pipes then.
    child.unref();
    // Both wait until the other process opens them as well.
    this.#requests = openSync(pipes[0]!, 'w');
    this.#answers = openSync(pipes[1]!, 'r');
    rmSync(folder, { recursive: true });
  }

  run(command: Command, input: Buffer): Outcome & { stdout: Buffer; stderr: Buffer } {
    writeFrame(this.#requests, [Buffer.from(JSON.stringify(command)), input]);
    const answer = readFrame(this.#answers);
    if (answer === null) throw new Error('The process that runs commands has ended.');
    const [outcome, stdout, stderr] = answer as [Buffer, Buffer, Buffer];
    return { ...(JSON.parse(outcome.toString()) as Outcome), stdout, stderr };
  }
}

let server: ForkServer | undefined;

/** Runs a command to its end, as `spawnSync` does. @throws Error where it could not be run */
export function runSync(file: string, args: readonly string[], options: SyncOptions = {}) {
  const { cwd = process.cwd(), env = process.env, input = '' } = options;
  server ??= new ForkServer();
  const result = server.run({ file, args, cwd, env }, Buffer.from(input));
  if (result.error !== null) throw new Error(result.error);
  return result;
}

/** The same for a command that must succeed. @returns its standard output @throws Error with its status and outputs */
export function outputOf(file: string, args: readonly string[], options: SyncOptions = {}): Buffer {
  const result = runSync(file, args, options);
  if (result.status === 0) return result.stdout;
  throw Object.assign(new Error(`Command failed: ${[file, ...args].join(' ')}\n${result.stderr}`), result);
}
