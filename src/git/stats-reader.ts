import type { ChildProcess } from 'node:child_process';
import { currentScope } from '../core/request-scope.ts';
import { GitError } from './errors.ts';
import { gitFailure, killGroup, READ_MS, startGit, takePlace } from './process.ts';
import { KeyedQueue } from './queue.ts';
import { orRelease, type WarmSlot, type WarmSlots } from './warm-slots.ts';

/** Asks for the size of a commit against its first parent; the answer is git's `--shortstat` line. */
export const STATS_COMMAND: readonly string[] = [
  'diff-tree',
  '--stdin',
  '--root',
  '-r',
  '--always',
  '--shortstat',
  '--find-renames',
  '--diff-merges=first-parent',
  '--no-ext-diff',
  '--no-textconv',
];

/** `diff-tree --stdin` gives a line that is no object id back as it is and flushes: so it ends an answer. */
const END = 'end-of-answer\n';
const MAX_ANSWERS = 1_000;
const MAX_OUTPUT = 64 * 1024;
const MAX_WAITING = 200;
const MAX_STDERR = 4 * 1024;

/** One warm `git diff-tree`, one question at a time. */
class StatsProcess {
  readonly #child: ChildProcess;
  #text = '';
  #stderr = '';
  #current: { resolve: (text: string) => void; reject: (error: GitError) => void } | undefined;
  #answers = 0;
  #killed = false;
  #ended = false;

  constructor(dir: string, onEnd: () => void) {
    this.#child = startGit([...STATS_COMMAND], { gitDir: dir });
    this.#child.stdin!.on('error', () => {});
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    this.#child.stdout!.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    const end = () => {
      if (this.#ended) return;
      this.#ended = true;
      this.#current?.reject(gitFailure('diff-tree', this.#child.exitCode ?? 137, this.#stderr));
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
    return !this.#ended && !this.#killed && this.#answers < MAX_ANSWERS;
  }

  /** @param signal ends the process with the question */
  ask(oid: string, signal: AbortSignal | undefined): Promise<string> {
    this.#answers += 1;
    this.#text = '';
    const stop = (code: 'aborted' | 'timeout') => {
      this.#killed = true;
      killGroup(this.#child);
      this.#current?.reject(new GitError(code, `git diff-tree ${oid}: stopped`));
    };
    const leave = () => stop('aborted');
    const timer = setTimeout(stop, READ_MS, 'timeout');
    signal?.addEventListener('abort', leave, { once: true });
    return new Promise<string>((resolve, reject) => {
      this.#current = { resolve, reject };
      if (signal?.aborted) leave();
      else this.#child.stdin!.write(`${oid}\n${END}`);
    }).finally(() => {
      this.#current = undefined;
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    });
  }

  retire(): void {
    this.#child.stdin!.end();
  }

  #read(text: string): void {
    this.#text += text;
    if (this.#text.length > MAX_OUTPUT) killGroup(this.#child);
    else if (this.#text.endsWith(END)) this.#current?.resolve(this.#text.slice(0, -END.length));
  }
}

/** Counts the changed lines of single commits of one repository without starting a process for each. */
export class StatsReader {
  readonly #dir: string;
  readonly #slots: WarmSlots;
  readonly #queue = new KeyedQueue({ maxWaiting: MAX_WAITING });
  #process: StatsProcess | undefined;
  #slot: WarmSlot | undefined;

  constructor(dir: string, slots: WarmSlots) {
    this.#dir = dir;
    this.#slots = slots;
  }

  /**
   * What git prints for one commit. A question costs as much as a command, so it takes the place of one.
   * @param oid complete id of a commit
   * @throws GitError `failed` where git ended, `timeout`, `aborted`, `busy`, `caller_busy`
   */
  async read(oid: string): Promise<string> {
    const { caller, signal } = currentScope();
    const leave = await takePlace('command', caller, signal);
    try {
      return await this.#queue.run('', () => this.#ask(oid, signal));
    } finally {
      leave();
    }
  }

  async #ask(oid: string, signal: AbortSignal | undefined): Promise<string> {
    const process = this.#process?.usable ? this.#process : await this.#start();
    try {
      return await process.ask(oid, signal);
    } finally {
      this.#slot?.touch();
      if (!process.usable) this.retire();
    }
  }

  /** Lets the warm process end once it is done; the next question starts another. */
  retire(): void {
    this.#process?.retire();
    this.#process = undefined;
  }

  async #start(): Promise<StatsProcess> {
    const slot = await this.#slots.take();
    const process: StatsProcess = orRelease(slot, () => {
      return new StatsProcess(this.#dir, () => {
        if (this.#process === process) this.#process = undefined;
        slot.release();
      });
    });
    this.#process = process;
    this.#slot = slot;
    slot.hold({
      get idle() {
        return process.idle;
      },
      retire: () => {
        if (this.#process === process) this.#process = undefined;
        process.retire();
      },
      // A question has its own time.
      check: () => {},
    });
    return process;
  }
}
