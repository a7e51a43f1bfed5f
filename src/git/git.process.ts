import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { FairSlots } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import { CLOCK_FACTOR, limitCpu } from './cpu-limit.ts';
import { isMissing } from './durable.ts';
import { gitEnvironment } from './git.environment.ts';
import { GitError } from './git.errors.ts';
import type { Child } from './spawner/child.ts';
import { signalGroup, startChild, whenStarted } from './spawner/start-child.ts';

export interface GitOptions {
  /** The repository's directory; passed as `--git-dir`. Left out for commands that need none. */
  gitDir?: string;
  /** Added to the clean environment. */
  env?: Readonly<Record<string, string>>;
  /** Ends the child (with its whole process group) when aborted; default: when the client of a reading request leaves. */
  signal?: AbortSignal;
  /**
   * Milliseconds of a processor that the child may take, with all that it starts; default `timeoutMs`, or 20,000 for a reading
   * request, else 60,000.
   */
  cpuMs?: number;
  /** Milliseconds by the clock until it is ended, where it waits for others; default 20 times `cpuMs`: only what hangs takes as long. */
  timeoutMs?: number;
  /** Milliseconds without a byte of output, errors and progress included, after which the child is ended; default: any. */
  stallMs?: number;
  /** Extra pipes beside 0, 1 and 2, for hooks: how many. */
  extraPipes?: number;
  /** Which limit the child counts against; default `command`. */
  lane?: Lane;
  /** Bytes that the child may allocate, beside the packs that it maps; default 2 GiB. One that wants more ends. */
  memory?: number;
  /** Bytes of the largest file that the child may write; default: any. One that writes more ends. */
  fileBytes?: number;
}

export interface GitRunOptions extends GitOptions {
  /** Written to standard input, which is then closed. */
  input?: Buffer | string;
  /** Bytes of output kept before the child is ended and `output_too_large` thrown; default 64 MiB. */
  maxOutput?: number;
  /** Exit codes that are answers rather than failures; default [0]. */
  okCodes?: readonly number[];
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/**
 * What a git child counts against. Clones, pushes and other streams have a lane of their own: they last as long as a
 * client likes, and a push needs commands of the other lane before it can end. `within` is for the second child of
 * work whose first one holds a place.
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

/** So many git children live at once, and so many of one caller; later ones wait their turn. Warm readers do not count. */
const lanes: Record<Exclude<Lane, 'within'>, FairSlots> = {
  command: lane('command', 16, 8),
  transport: lane('transport', 64, 16),
};

/** Milliseconds of a processor that a child may take: less where it only reads for somebody who waits. */
export const READ_MS = 20_000;
const DEFAULT_MS = 60_000;

/** How long git may take to remove its locks, temporary files and quarantine, in milliseconds. */
const GRACE = 2_000;

/** Ends a child together with everything it started: politely, so that it clears up behind itself, then by force. */
export function killGroup(child: Child): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(signalGroup, GRACE, child, 'SIGKILL').unref();
}

/**
 * Starts a git child at once, outside the limit on children: for warm processes, which `WorkerLimiter` bounds. One that the
 * spawner cannot start tells by an `error`.
 * @throws GitError `busy` where the system has no process or file descriptor to give, `corrupt` for no repository,
 * `denied` for one that this user may not enter
 */
export function startGit(args: readonly string[], options: GitOptions): Child {
  if (!mayStart) throw new NoChildren();
  const where = options.gitDir === undefined ? [] : [`--git-dir=${options.gitDir}`];
  const env = gitEnvironment(options.env);
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

/** A child was wanted where none may be started. */
class NoChildren extends Error {}

let mayStart = true;

/** Lets this thread start no git from now on: what needs it fails, and not as a GitError. */
export function forbidChildren(): void {
  mayStart = false;
}

/** Where git is in a path; looked up once. */
let git: { path: string; file: string } | undefined;

/** The first program of a name in the folders of a path; the name alone where there is none. */
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

/** @throws GitError for a folder that no process can be started in */
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
  // A shell counts memory by 1024 bytes, and files by 512.
  const files = file === undefined ? '' : `ulimit -f ${Math.ceil(file / 512)} || exit 1; `;
  return `${files}ulimit -d ${Math.ceil(memory / 1024)} 2>/dev/null; exec "$0" "$@"`;
};

/** Why a child was ended: it took its processor time; it was not done by the clock; it printed nothing; nobody wants it any more. */
export type Killed = 'work' | 'timeout' | 'stall' | 'abort';

/**
 * The error of a child that was ended: only one that has taken its processor time would come to the same end again.
 * @param what it was, for the log
 */
export function killedError(killed: Killed, what: string): GitError {
  if (killed === 'work') return new GitError('timeout', `${what}: took too much time of a processor`);
  if (killed === 'timeout') return new GitError('busy', `${what}: was not done in time`);
  return new GitError('aborted', `${what}: stopped`);
}

export interface GitChild {
  stdin: Writable;
  stdout: Readable;
  child: Child;
  /** Fulfils when the child has ended and its output is drained; never rejects. */
  done: Promise<{ code: number; stderr: string; killed: Killed | null }>;
  kill(): void;
}

/**
 * Takes a place of a lane, for a child or for work as dear as one.
 * @returns what gives it back
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
    throw signal?.aborted ? new GitError('aborted', 'stopped while it waited') : error;
  }
}

/**
 * Starts a git command whose input and output are streams; the caller reads `stdout` and awaits `done`.
 * Every element of `args` is built by us: user text is only ever a value after `--end-of-options`, or input.
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
  // A child that has ended already breaks the pipe; its exit code tells the story.
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

/** A text without what a terminal would have written over: progress. */
function withoutOverwritten(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      const whole = index < lines.length - 1 && line.endsWith('\r') ? line.slice(0, -1) : line;
      return whole.slice(whole.lastIndexOf('\r') + 1);
    })
    .join('\n');
}

/** Calls a function when a child has printed nothing for so long. @returns what ends that */
function watchOutput(child: Child, stallMs: number, onStall: () => void): () => void {
  const timer = setTimeout(onStall, stallMs);
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', () => timer.refresh());
  return () => clearTimeout(timer);
}

/** The error of a command that ended with an exit code that is no answer. */
export function gitFailure(name: string | undefined, code: number, stderr: string): GitError {
  const kind = /out of memory/i.test(stderr) ? 'output_too_large' : 'failed';
  return new GitError(kind, `git ${name}: ${stderr.trim()}`, code);
}

/**
 * Runs one git command to its end.
 * @throws GitError `failed` for an exit code outside `okCodes`, `timeout` for too much work, `aborted`, `output_too_large`, `busy`
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
