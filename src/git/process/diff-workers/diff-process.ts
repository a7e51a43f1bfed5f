import { GitError } from '../../common/index.ts';
import { CLOCK_FACTOR, limitCpu } from '../cpu-limit.ts';
import { gitFailure } from '../git.failure.ts';
import { type Killed, killedError, killGroup, startGit } from '../git.process.ts';
import { lowerPriority } from '../priority.ts';
import { type OnSpan, Splitter } from '../records.ts';
import { whenStarted } from '../spawner/start-child.ts';

/** Command line of a long-lived `git diff-tree --stdin`. */
export interface DiffCommand {
  /** Git options, the command `diff-tree --stdin` and its options. */
  args: readonly string[];
  /** Memory limit in bytes. */
  memory: number;
  /** Nice value, for low priority. */
  nice?: number;
}

/** A question and the handler of its answer. */
export interface DiffQuestion {
  /** Input for `diff-tree --stdin`: `<commit>`, `<commit> <parent>` or `<tree> <tree>`. */
  lines: readonly string[];
  onLine: OnSpan;
  /** Maximum length of a line in bytes; longer ones are truncated. */
  maxRecord: number;
  /** Processor time in milliseconds. */
  cpuMs: number;
  /** Aborts the question and ends the process. */
  signal: AbortSignal | undefined;
}

/**
 * `diff-tree --stdin` echoes a line that is not an object id and flushes, which marks the end of an answer. No line of
 * a diff can equal it: content lines start with a sign, a space or a colon.
 */
const END = Buffer.from('end-of-answer');
const MAX_ANSWERS = 1_000;
const MAX_STDERR = 4 * 1024;

/** A long-lived `git diff-tree` that answers one question at a time. */
export class DiffProcess {
  readonly #child: ReturnType<typeof startGit>;
  #stderr = '';
  #current: { splitter: Splitter; settle: (error?: unknown) => void } | undefined;
  #answers = 0;
  #usable = true;
  #ended = false;

  /**
   * @param onEnd called once the process has ended
   * @throws GitError as `startGit`
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

  /** Git caches parsed objects, so the number of questions for a process is bounded. */
  get usable(): boolean {
    return this.#usable && this.#answers < MAX_ANSWERS;
  }

  /**
   * Fulfils when the answer is complete, or when `onLine` returns false, which ends the process.
   * @throws GitError `failed` or `output_too_large` if git exits, `timeout`, `aborted`; errors of `onLine`
   */
  async ask({ lines, onLine, maxRecord, cpuMs, signal }: DiffQuestion): Promise<void> {
    if (signal?.aborted) throw new GitError('aborted', 'aborted before it started');
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

  /** Accepts no more questions, completes the current one and ends. */
  retire(): void {
    this.#usable = false;
    this.#child.stdin!.end();
  }

  async #lower(nice: number): Promise<void> {
    try {
      await whenStarted(this.#child);
      lowerPriority(this.#child, nice);
    } catch {
      // Reported by an `error` event.
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
