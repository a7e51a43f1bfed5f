import { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { GitError } from '../git.errors.ts';
import { type Killed, spawnGit } from '../git.process.ts';
import { lowerPriority, NICE } from '../priority.ts';
import { firstByte, pipeInput, watchIdle } from './flow.ts';

/** What all three services take. */
export interface TransportOptions {
  /** The value of the client's `Git-Protocol` header, or of GIT_PROTOCOL over SSH. */
  protocol?: string | undefined;
  /** Ends git and everything it started: abort it when the client goes away. */
  signal?: AbortSignal;
  /** Milliseconds the whole exchange may take; default one hour. */
  timeoutMs?: number;
  /** Milliseconds without a byte in either direction before a stalled client is dropped; default five minutes. */
  idleMs?: number;
  /** False over SSH, where one connection carries the advertisement and the exchange; default true, as over HTTP. */
  stateless?: boolean;
}

/** How an exchange ended. */
export interface TransportEnd {
  /** Exit code of git. */
  code: number;
  /** For the log, never for a client. */
  stderr: string;
  killed: Killed | 'idle' | null;
  /** What a callback of the caller, or the input, failed with. */
  failure?: unknown;
}

export interface TransportSession {
  /** git's answer. Destroying it, or leaving a pipeline into a client early, ends git. */
  output: Readable;
  /** Fulfils when git has ended; never rejects. */
  done: Promise<TransportEnd>;
}

export interface SessionPlan {
  /** Arguments of git, all built by us. */
  args: readonly string[];
  gitDir: string;
  env: Readonly<Record<string, string>>;
  /** The client's bytes; none for an advertisement. */
  input?: Readable;
  /** Bytes of input before the client counts as hostile. */
  maxInputBytes: number;
  extraPipes?: number;
  /** Looks at the client's bytes on their way to git. @returns what the client is answered in git's place; git gets no more */
  look?: (chunk: Buffer) => Buffer | null;
  /** Whether git keeps objects in quarantine, which it must be given the time to remove. */
  keepsQuarantine?: boolean;
  /** Called with the inherited pipes (descriptor 3 onwards) as soon as git runs; a failure is kept for `done` and ends the pipes. */
  serve?: (pipes: readonly Socket[], work: SessionTask) => Promise<void>;
}

/** Runs a piece of the server's own work, during which git and the client may be silent. */
export type SessionTask = <T>(job: () => Promise<T>) => Promise<T>;

const HOUR = 3_600_000;
/** After so many milliseconds without a byte a client is dropped. */
export const IDLE_MS = 300_000;
/** How long a git that is cut off from its client may take to clear up, in milliseconds. */
const GRACE = 10_000;

/** A signal for the time before git runs: from then on an abort is handled by `stop`. */
function untilStarted(signal: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  const relay = new AbortController();
  const forward = () => relay.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted) forward();
  return { signal: relay.signal, release: () => signal?.removeEventListener('abort', forward) };
}

/**
 * Runs one git service between two streams, with back-pressure both ways.
 * @throws GitError `failed`, `timeout`, `aborted` when git ended badly without a byte of output; `busy`
 */
export async function startSession(plan: SessionPlan, options: TransportOptions): Promise<TransportSession> {
  // The input may break off before git runs; reading it then tells.
  plan.input?.on('error', () => {});
  const waiting = untilStarted(options.signal);
  const git = await spawnGit(plan.args, {
    gitDir: plan.gitDir,
    env: plan.env,
    timeoutMs: options.timeoutMs ?? HOUR,
    lane: 'transport',
    signal: waiting.signal,
    ...(plan.extraPipes ? { extraPipes: plan.extraPipes } : {}),
  }).finally(waiting.release);
  const { stdin, stdout, child } = git;
  lowerPriority(child, NICE.transport);
  const pipes = child.stdio.slice(3).filter((pipe): pipe is Socket => pipe instanceof Socket);
  // A broken pipe is told by git's exit code.
  for (const pipe of [stdout, ...pipes]) pipe.on('error', () => {});
  let stopped: 'abort' | 'idle' | null = null;
  let failure: unknown;
  let answered = false;
  let refusal: Buffer | null = null;
  stdout.once('end', () => {
    answered = true;
  });

  // Git leaves the quarantine of a push behind when a signal ends it, and removes it when its input breaks off.
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
  plan.serve?.(pipes, work).catch((error: unknown) => {
    failure ??= error;
    for (const pipe of pipes) pipe.end();
  });

  const done = git.done.then(({ code, stderr, killed }): TransportEnd => {
    options.signal?.removeEventListener('abort', onAbort);
    return { code, stderr, killed: stopped ?? killed, ...(failure === undefined ? {} : { failure }) };
  });
  if (await firstByte(output)) return { output, done };
  const end = await done;
  if (end.code === 0 && end.killed === null) return { output: Readable.from([]), done };
  if (end.failure !== undefined) throw end.failure;
  const code = end.killed === null ? 'failed' : end.killed === 'abort' ? 'aborted' : 'timeout';
  throw new GitError(code, `git ${plan.args.join(' ')}: ${end.stderr.trim()}`, end.code);
}
