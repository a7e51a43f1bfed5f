import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import { GitError } from '../common/index.ts';
import { isMissing } from '../files/index.ts';
import { CLOCK_FACTOR, limitCpu } from './cpu-limit.ts';
import { gitEnvironment } from './git.environment.ts';
import { gitFailure, withoutOverwritten } from './git.failure.ts';
import type { Child } from './spawner/child.ts';
import { signalGroup, startChild, whenStarted } from './spawner/start-child.ts';

export interface GitOptions {
  /** Directory of the repository, passed as `--git-dir`. Omitted for commands without a repository. */
  gitDir?: string;
  /** Added to the clean environment. */
  env?: Readonly<Record<string, string>>;
  /**
   * Ends the child with its process group; default: the signal of a reading request, aborted when the client
   * disconnects.
   */
  signal?: AbortSignal;
  /**
   * Processor time in milliseconds of the child and its descendants; default `timeoutMs`, or 20,000 for a reading
   * request, else 60,000.
   */
  cpuMs?: number;
  /**
   * Duration in milliseconds, for a child that waits for others; default 20 times `cpuMs`, which only a hanging child
   * reaches.
   */
  timeoutMs?: number;
  /**
   * Milliseconds without any output, including stderr and progress, after which the child is ended; default: unlimited.
   */
  stallMs?: number;
  /** Number of pipes in addition to 0, 1 and 2, for hooks. */
  extraPipes?: number;
  /** Lane that limits the child; default `command`. */
  lane?: Lane;
  /** Memory limit of the child in bytes, without mapped packs; default 2 GiB. */
  memory?: number;
  /** Maximum size in bytes of a file that the child writes; default: unlimited. */
  fileBytes?: number;
}

export interface GitRunOptions extends GitOptions {
  /** Written to standard input, which is then closed. */
  input?: Buffer | string;
  /** Maximum output in bytes, above which the child is ended with `output_too_large`; default 64 MiB. */
  maxOutput?: number;
  /** Exit codes that are not failures; default [0]. */
  okCodes?: readonly number[];
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/**
 * Lane of a git child. Clones, pushes and other streams have their own lane: they last as long as the client likes, and
 * a push needs commands of the other lane before it can end. `within` is for a child of work that already holds a slot.
 */
export type Lane = 'command' | 'transport' | 'within';
const MAX_STDERR = 16 * 1024;

const lane = (name: string, total: number, perKey: number) =>
  new FairSlots({
    total,
    perKey,
    maxWaiting: 1_000,
    maxWaitingPerKey: 250,
    refuse: (whose) => new GitError(whose === 'caller' ? 'caller_busy' : 'busy', `too many git ${name}s are waiting`),
  });

/**
 * Maximum number of concurrent git children, and of those of one caller; others wait. Reused processes are not counted.
 */
const lanes: Record<Exclude<Lane, 'within'>, FairSlots> = {
  command: lane('command', 16, 8),
  transport: lane('transport', 64, 16),
};

/** Processor time of a child in milliseconds: less for reads on behalf of a waiting client. */
export const READ_MS = 20_000;
const DEFAULT_MS = 60_000;

/** Grace period in milliseconds for git to remove locks, temporary files and quarantine. */
const GRACE = 2_000;

/** Ends a child with its process group: SIGTERM for a clean-up, then SIGKILL. */
export function killGroup(child: Child): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(signalGroup, GRACE, child, 'SIGKILL').unref();
}

/**
 * Starts a git child immediately, without a slot: for long-lived processes, which `WorkerLimiter` bounds. Failures of
 * the spawner are reported by an `error` event.
 * @throws GitError `busy` if the system lacks processes or file descriptors, `corrupt` if there is no repository,
 *   `denied` if it is not accessible
 */
export function startGit(args: readonly string[], options: GitOptions): Child {
  if (!mayStart) throw new NoChildren();
  const where = options.gitDir === undefined ? [] : [`--git-dir=${options.gitDir}`];
  const env = gitEnvironment(options.env, options.gitDir);
  const path = env.PATH!;
  if (git?.path !== path) git = { path, file: program('git', path) };
  try {
    return startChild({
      command: '/bin/sh',
      args: ['-c', limited(options.memory ?? CHILD_MEMORY, options.fileBytes), git.file, ...where, ...args],
      cwd: options.gitDir ?? '/',
      env,
      pipes: 3 + (options.extraPipes ?? 0),
    });
  } catch {
    throw notStarted(options.gitDir);
  }
}

/** A child process was requested in a thread that may not start any. */
class NoChildren extends Error {}

let mayStart = true;

/** Prevents this thread from starting git: attempts fail with an error other than GitError. */
export function forbidChildren(): void {
  mayStart = false;
}

/** Location of git in PATH, looked up once. */
let git: { path: string; file: string } | undefined;

/** Finds a program in PATH; returns the bare name if it is missing. */
function program(name: string, path: string): string {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {}
  }
  return name;
}

function notStarted(dir: string | undefined): GitError {
  try {
    if (dir !== undefined) mustBeUsable(dir);
  } catch (error) {
    return error as GitError;
  }
  return new GitError('busy', 'git could not be started');
}

/** @throws GitError for a folder in which no process can be started */
function mustBeUsable(dir: string): void {
  try {
    accessSync(dir, constants.X_OK);
  } catch (error) {
    throw isMissing(error)
      ? new GitError('corrupt', 'not a git repository')
      : new GitError('denied', (error as Error).message);
  }
}

const CHILD_MEMORY = 2 * 1024 * 1024 * 1024;
const limited = (memory: number, file: number | undefined): string => {
  // A shell counts memory in units of 1024 bytes, and file sizes in units of 512.
  const files = file === undefined ? '' : `ulimit -f ${Math.ceil(file / 512)} || exit 1; `;
  return `${files}ulimit -d ${Math.ceil(memory / 1024)} 2>/dev/null; exec "$0" "$@"`;
};

/** Reason for ending a child: processor time exceeded, timeout by the clock, no output, or aborted. */
export type Killed = 'work' | 'timeout' | 'stall' | 'abort';

/**
 * Error of a child that was ended. Only exceeding the processor time is permanent.
 * @param what description for the log
 */
export function killedError(killed: Killed, what: string): GitError {
  if (killed === 'work') return new GitError('timeout', `${what}: exceeded its processor time`);
  if (killed === 'timeout') return new GitError('busy', `${what}: timed out`);
  return new GitError('aborted', `${what}: stopped`);
}

export interface GitChild {
  stdin: Writable;
  stdout: Readable;
  child: Child;
  /** Fulfils when the child has exited and its output is drained; never rejects. */
  done: Promise<{ code: number; stderr: string; killed: Killed | null }>;
  kill(): void;
}

/**
 * Takes a slot of a lane, for a child or for work of the same cost.
 * @returns a function that releases it
 * @throws GitError `busy`, `caller_busy`, `aborted`
 */
export async function acquireSlot(
  lane: Exclude<Lane, 'within'>,
  caller: string,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  try {
    return await lanes[lane].take(caller, { signal });
  } catch (error) {
    throw signal?.aborted ? new GitError('aborted', 'aborted while waiting') : error;
  }
}

/**
 * Starts a git command with streams; the caller reads `stdout` and awaits `done`. Every element of `args` is built by
 * the server: user text only occurs as a value after `--end-of-options`, or as input.
 */
export async function spawnGit(args: readonly string[], options: GitOptions = {}): Promise<GitChild> {
  const scope = currentScope();
  const signal = options.signal ?? scope.signal;
  const { lane = 'command' } = options;
  const leave = lane === 'within' ? () => {} : await acquireSlot(lane, scope.caller, signal);
  let child: Child;
  try {
    child = startGit(args, options);
    child.on('error', () => {});
    await whenStarted(child).catch(() => {
      throw notStarted(options.gitDir);
    });
  } catch (error) {
    leave();
    throw error;
  }
  let stderr = '';
  let killed: Killed | null = null;
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr = withoutOverwritten(`${stderr}${text}`).slice(0, MAX_STDERR);
  });
  // A child that has exited breaks the pipe; its exit code gives the reason.
  child.stdin!.on('error', () => {});
  const end = (reason: Killed) => {
    killed ??= reason;
    killGroup(child);
  };
  const { cpuMs = options.timeoutMs ?? (scope.signal ? READ_MS : DEFAULT_MS) } = options;
  const { timeoutMs = CLOCK_FACTOR * cpuMs } = options;
  const unlimit = limitCpu(() => child.pid, { cpuMs, timeoutMs }, end);
  const stop = options.stallMs === undefined ? () => {} : watchOutput(child, options.stallMs, () => end('stall'));
  const onAbort = () => end('abort');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const done = new Promise<Awaited<GitChild['done']>>((resolve) => {
    let settled = false;
    const settle = (code: number, text = stderr) => {
      if (settled) return;
      settled = true;
      unlimit();
      stop();
      signal?.removeEventListener('abort', onAbort);
      leave();
      resolve({ code, stderr: text, killed });
    };
    child.on('error', (error) => settle(127, error.message));
    child.on('close', (code) => settle(code ?? 137));
  });
  return { stdin: child.stdin!, stdout: child.stdout!, child, done, kill: () => end('abort') };
}

/** Calls a function if a child prints nothing for a given time. @returns a function that stops the watch */
function watchOutput(child: Child, stallMs: number, onStall: () => void): () => void {
  const timer = setTimeout(onStall, stallMs);
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', () => timer.refresh());
  return () => clearTimeout(timer);
}

/**
 * Runs a git command to completion.
 * @throws GitError `failed` for an exit code outside `okCodes`, `timeout` for too much work, `aborted`,
 *   `output_too_large`, `busy`
 */
export async function runGit(args: readonly string[], options: GitRunOptions = {}): Promise<GitResult> {
  const git = await spawnGit(args, options);
  const maxOutput = options.maxOutput ?? 64 * 1024 * 1024;
  const chunks: Buffer[] = [];
  let size = 0;
  let tooLarge = false;
  git.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutput) {
      tooLarge = true;
      git.kill();
    } else {
      chunks.push(chunk);
    }
  });
  git.stdin.end(options.input ?? '');
  const { code, stderr, killed } = await git.done;
  if (tooLarge) throw new GitError('output_too_large', `git ${args[0]}: more than ${maxOutput} bytes of output`);
  if (killed !== null) throw killedError(killed, `git ${args[0]}`);
  if (!(options.okCodes ?? [0]).includes(code)) throw gitFailure(args[0], code, stderr);
  return { code, stdout: Buffer.concat(chunks), stderr };
}
