import { CLOCK_FACTOR, limitCpu } from './cpu-limit.ts';
import { GitError } from './git.errors.ts';
import { gitFailure, type Killed, killedError, killGroup, startGit } from './git.process.ts';
import { lowerPriority } from './priority.ts';
import { type OnSpan, Splitter } from './records.ts';
import { whenStarted } from './spawner/start-child.ts';

/** What a warm `git diff-tree --stdin` is started with. */
export interface DiffCommand {
  /** Git's own options, the command `diff-tree --stdin` and its options. */
  args: readonly string[];
  /** Bytes that it may allocate. */
  memory: number;
  /** Its nice value, where others go before it. */
  nice?: number;
}

/** One question, and what is to be done with the lines of its answer. */
export interface DiffQuestion {
  /** Lines for `diff-tree --stdin`: `<commit>`, `<commit> <parent>` or `<tree> <tree>`. */
  lines: readonly string[];
  onLine: OnSpan;
  /** Bytes of one line that are kept; what is longer is cut. */
  maxRecord: number;
  /** Milliseconds of a processor. */
  cpuMs: number;
  /** Ends the process with the question. */
  signal: AbortSignal | undefined;
}

/**
 * `diff-tree --stdin` gives a line that is no object id back as it is and flushes: so it ends an answer. No line of a
 * diff is like it: what comes of files has a sign, a blank or a colon before it.
 */
const END = Buffer.from('end-of-answer');
const MAX_ANSWERS = 1_000;
const MAX_STDERR = 4 * 1024;

/** One warm `git diff-tree`, one question at a time. */
export class DiffProcess {
  readonly #child: ReturnType<typeof startGit>;
  #stderr = '';
  #current: { splitter: Splitter; settle: (error?: unknown) => void } | undefined;
  #answers = 0;
  #usable = true;
  #ended = false;

  /**
   * @param onEnd told once it has ended
   * @throws GitError as `startGit` does
   */
  constructor(dir: string, command: DiffCommand, onEnd: () => void) {
    this.#child = startGit(command.args, { gitDir: dir, memory: command.memory });
    this.#child.stdin!.on('error', () => {});
    if (command.nice !== undefined) void this.#lower(command.nice);
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk));
    const end = () => {
      if (this.#ended) return;
      this.#ended = true;
      this.#usable = false;
      this.#current?.settle(gitFailure('diff-tree', this.#child.exitCode ?? 137, this.#stderr));
      onEnd();
    };
    this.#child.on('close', end);
    this.#child.on('error', () => {
      if (this.#child.pid === undefined) end();
    });
  }

  get idle(): boolean {
    return this.#current === undefined;
  }

  /** Git keeps what it has parsed, so the life of a process is bounded. */
  get usable(): boolean {
    return this.#usable && this.#answers < MAX_ANSWERS;
  }

  /**
   * Fulfils when the answer is complete, or `onLine` wants no more of it, which ends the process.
   * @throws GitError `failed` or `output_too_large` where git ended, `timeout`, `aborted`; what `onLine` throws
   */
  async ask({ lines, onLine, maxRecord, cpuMs, signal }: DiffQuestion): Promise<void> {
    if (signal?.aborted) throw new GitError('aborted', 'stopped before it began');
    this.#answers += lines.length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let complete = false;
    const settle = (error?: unknown) => {
      this.#current = undefined;
      if (!complete) this.#kill();
      if (error === undefined) resolve();
      else reject(error);
    };
    const splitter = new Splitter(10, Math.max(maxRecord, END.length + 1), (bytes, start, end, length) => {
      complete = length === END.length && bytes.compare(END, 0, END.length, start, end) === 0;
      return !complete && onLine(bytes, start, end, length);
    });
    const stop = (killed: Killed) => settle(killedError(killed, `git diff-tree ${lines[0]}`));
    const leave = () => stop('abort');
    const limits = { cpuMs, timeoutMs: CLOCK_FACTOR * cpuMs, isLongRunning: true };
    const unlimit = limitCpu(() => this.#child.pid, limits, stop);
    signal?.addEventListener('abort', leave, { once: true });
    this.#current = { splitter, settle };
    if (this.#ended) settle(gitFailure('diff-tree', 137, this.#stderr));
    else this.#child.stdin!.write([...lines, END, ''].join('\n'));
    try {
      await promise;
    } finally {
      unlimit();
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Takes no more questions, answers the one at hand and ends. */
  retire(): void {
    this.#usable = false;
    this.#child.stdin!.end();
  }

  async #lower(nice: number): Promise<void> {
    try {
      await whenStarted(this.#child);
      lowerPriority(this.#child, nice);
    } catch {
      // It tells by an `error`.
    }
  }

  #kill(): void {
    this.#usable = false;
    killGroup(this.#child);
  }

  #read(chunk: Buffer): void {
    const current = this.#current;
    try {
      if (current?.splitter.push(chunk) === false) current.settle();
    } catch (error) {
      current?.settle(error);
    }
  }
}
