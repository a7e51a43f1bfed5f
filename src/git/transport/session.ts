import { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { GitError } from '../common/index.ts';
import { type Killed, lowerPriority, NICE, spawnGit } from '../process/index.ts';
import { firstByte, pipeInput, watchIdle } from './flow.ts';

/** Common options of the three services. */
export interface TransportOptions {
  /** Value of the client's `Git-Protocol` header, or of GIT_PROTOCOL over SSH. */
  protocol?: string | undefined;
  /** Ends git and its process group; to be aborted when the client disconnects. */
  signal?: AbortSignal;
  /** Maximum duration of the exchange in milliseconds; default one hour. */
  timeoutMs?: number;
  /** Milliseconds without a byte in either direction before a stalled client is disconnected; default five minutes. */
  idleMs?: number;
  /** False over SSH, where one connection carries advertisement and exchange; default true, as over HTTP. */
  stateless?: boolean;
}

/** Result of an exchange. */
export interface TransportEnd {
  /** Exit code of git. */
  code: number;
  /** For the log, never for a client. */
  stderr: string;
  killed: Killed | 'idle' | null;
  /** Error of a handler or of the input. */
  failure?: unknown;
}

export interface TransportSession {
  /** Git's output. Destroying it, or an early end of a pipeline, ends git. */
  output: Readable;
  /** Fulfils when git has exited; never rejects. */
  done: Promise<TransportEnd>;
}

export interface SessionPlan {
  /** Arguments of git, built by the server. */
  args: readonly string[];
  gitDir: string;
  env: Readonly<Record<string, string>>;
  /** Data of the client; undefined for an advertisement. */
  input?: Readable;
  /** Maximum input size in bytes. */
  maxInputBytes: number;
  extraPipes?: number;
  /**
   * Inspects the client's data before git gets it.
   * @returns a response to send instead of git's; git then gets no more data
   */
  look?: (chunk: Buffer) => Buffer | null;
  /** Whether git keeps objects in quarantine, which it must be given time to remove. */
  keepsQuarantine?: boolean;
  /**
   * Called with the inherited pipes (from descriptor 3 on) once git runs; a failure is reported in `done` and closes
   * the pipes.
   */
  serve?: (pipes: readonly Socket[], work: SessionTask) => Promise<void>;
}

/** Runs work of the server, during which git and the client may be silent. */
export type SessionTask = <T>(job: () => Promise<T>) => Promise<T>;

const HOUR = 3_600_000;
/** Milliseconds without a byte after which a client is disconnected. */
export const IDLE_MS = 300_000;
/** Grace period in milliseconds for git to clean up after its client has disconnected. */
const GRACE = 10_000;

/** How many sessions run in each repository: git may go on after its client has left. */
const running = new Map<string, number>();

function enter(dir: string): () => void {
  running.set(dir, (running.get(dir) ?? 0) + 1);
  return () => {
    const left = running.get(dir)! - 1;
    if (left === 0) running.delete(dir);
    else running.set(dir, left);
  };
}

/** Whether git serves a client in a repository below these folders, or has not ended after it. */
export const isServing = (folders: readonly string[]): boolean =>
  [...running.keys()].some((dir) => folders.some((folder) => dir.startsWith(`${folder}/`)));

/** A signal for the time before git runs; afterwards `stop` handles aborts. */
function untilStarted(signal: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  const relay = new AbortController();
  const forward = () => relay.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted) forward();
  return { signal: relay.signal, release: () => signal?.removeEventListener('abort', forward) };
}

/**
 * Runs one git service between two streams, with back-pressure in both directions.
 * @throws GitError `failed`, `timeout`, `aborted` if git fails without any output; `busy`
 */
export async function startSession(plan: SessionPlan, options: TransportOptions): Promise<TransportSession> {
  // The input may fail before git runs; reading it reports the error then.
  plan.input?.on('error', () => {});
  const waiting = untilStarted(options.signal);
  const leave = enter(plan.gitDir);
  const git = await spawnGit(plan.args, {
    gitDir: plan.gitDir,
    env: plan.env,
    timeoutMs: options.timeoutMs ?? HOUR,
    lane: 'transport',
    signal: waiting.signal,
    ...(plan.extraPipes ? { extraPipes: plan.extraPipes } : {}),
  })
    .finally(waiting.release)
    .catch((error: unknown) => {
      leave();
      throw error;
    });
  const { stdin, stdout, child } = git;
  lowerPriority(child, NICE.transport);
  const pipes = child.stdio.slice(3).filter((pipe): pipe is Socket => pipe instanceof Socket);
  // Git's exit code explains a broken pipe.
  for (const pipe of [stdout, ...pipes]) pipe.on('error', () => {});
  let stopped: 'abort' | 'idle' | null = null;
  let failure: unknown;
  let answered = false;
  let refusal: Buffer | null = null;
  stdout.once('end', () => {
    answered = true;
  });

  // Git leaves the quarantine of a push behind when a signal ends it, but removes it when its input ends early.
  const stop = (reason: 'abort' | 'idle') => {
    if (answered || stopped !== null) return;
    stopped = reason;
    if (!plan.keepsQuarantine) return git.kill();
    stdin.end();
    for (const pipe of pipes) pipe.end();
    stdout.resume();
    setTimeout(git.kill, GRACE).unref();
  };
  const onAbort = () => stop('abort');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const fail = (error: unknown) => {
    failure ??= error;
    stop('abort');
  };

  const output = plan.keepsQuarantine ? stdout.pipe(new PassThrough(), { end: false }) : stdout;
  if (output instanceof PassThrough) stdout.once('end', () => output.end(refusal ?? undefined));
  const look = (chunk: Buffer) => {
    refusal ??= plan.look?.(chunk) ?? null;
    return refusal === null;
  };
  output.on('error', () => {}).once('close', onAbort);
  child.once('exit', (_code, signal) => {
    for (const pipe of pipes) pipe.destroy();
    if (signal !== null || stopped !== null) output.destroy(new GitError('aborted', 'git was stopped'));
  });
  let jobs = 0;
  const work: SessionTask = async (job) => {
    jobs += 1;
    try {
      return await job();
    } finally {
      jobs -= 1;
    }
  };
  watchIdle(
    git,
    options.idleMs ?? IDLE_MS,
    () => jobs > 0,
    () => stop('idle'),
  );
  if (plan.input) pipeInput(plan.input, stdin, plan.maxInputBytes, look).catch(fail);
  else stdin.end();
  const served = plan.serve?.(pipes, work).catch((error: unknown) => {
    failure ??= error;
    for (const pipe of pipes) pipe.end();
  });

  const done = git.done.then(({ code, stderr, killed }): TransportEnd => {
    options.signal?.removeEventListener('abort', onAbort);
    return { code, stderr, killed: stopped ?? killed, ...(failure === undefined ? {} : { failure }) };
  });
  void Promise.all([done, served]).then(leave);
  if (await firstByte(output)) return { output, done };
  const end = await done;
  if (end.code === 0 && end.killed === null) return { output: Readable.from([]), done };
  if (end.failure !== undefined) throw end.failure;
  const code = end.killed === null ? 'failed' : end.killed === 'abort' ? 'aborted' : 'timeout';
  throw new GitError(code, `git ${plan.args.join(' ')}: ${end.stderr.trim()}`, end.code);
}
