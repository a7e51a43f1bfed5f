import { type ChildProcess, spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FromWorker, Task } from './messages.ts';

/** One test that failed, or one file that did not run to its end. */
export interface Failure {
  name: string;
  file: string;
  line: number;
  text: string;
}

/** What came of one test file. */
export interface FileResult {
  file: string;
  milliseconds: number;
  passed: number;
  skipped: number;
  failures: Failure[];
}

export interface Limits {
  /** Ends a file that hangs, after so many milliseconds. */
  fileMs: number;
  /** So long may take to go away what a file has left open. */
  patienceMs: number;
  /** A process that holds more bytes of JavaScript after a file runs no other: modules and results of every file stay. */
  heap: number;
}

/** No test file takes anywhere near as long, and none needs the rest of `SMALL`. */
const LIMITS: Limits = { fileMs: 300_000, patienceMs: 30_000, heap: 450_000_000 };
const MAX_OUTPUT = 8_000;
const WORKER = join(import.meta.dirname, 'worker.ts');
const PRELOAD = `--import=${pathToFileURL(join(import.meta.dirname, 'test-scope.ts'))}`;
/** Told that there is little memory, a worker stays below 350 MB instead of growing to 800. */
const SMALL = ['--max-old-space-size=768', '--max-semi-space-size=32'];
/** Where there is memory, tests fill a larger young generation, of which less is copied; some that run alone measure it. */
const LARGE = ['--max-old-space-size=768', '--max-semi-space-size=64', '--min-semi-space-size=64'];
const ENOUGH_MEMORY = 12 * 1024 ** 3;
const REPORTER = `--test-reporter=${join(import.meta.dirname, 'report.ts')}`;

const nothingOf = (file: string): FileResult => ({ file, milliseconds: 0, passed: 0, skipped: 0, failures: [] });

/** A process that runs test files one after the other, and is replaced when one ends it or it has grown large. */
class Worker {
  readonly #root: string;
  readonly #limits: Limits;
  #child: ChildProcess | undefined;

  constructor(root: string, limits: Limits) {
    this.#root = root;
    this.#limits = limits;
  }

  /** Runs one file to its end, or to that of the process. */
  run(task: Task): Promise<FileResult> {
    if (task.alone) this.end();
    const child = this.#start(task.alone || totalmem() < ENOUGH_MEMORY ? SMALL : LARGE);
    const { file } = task;
    const started = Date.now();
    const result = nothingOf(file);
    const running = new Set<string>();
    const awaited = new Set<FromWorker['kind']>(['loaded', 'quiet']);
    let output = '';
    return new Promise((resolve) => {
      const print = (text: string) => {
        output = (output + text).slice(-MAX_OUTPUT);
      };
      const failed = (text: string) => {
        const printed = output === '' ? '' : `\nIt printed:\n${output}`;
        result.failures.push({ name: 'the file itself', file, line: 1, text: `${text}${printed}` });
      };
      let full = false;
      const finish = () => {
        clearTimeout(timer);
        if (full) this.end();
        if (result.passed + result.skipped + result.failures.length === 0) failed('It holds no test.');
        child.off('message', take).off('exit', ended);
        child.stdout!.off('data', print);
        child.stderr!.off('data', print);
        result.milliseconds = Date.now() - started;
        resolve(result);
      };
      const ended = (code: number | null, signal: string | null) => {
        const at = running.size === 0 ? '' : ` in the test "${[...running].join('", "')}"`;
        failed(`The process ended${at}: ${signal ?? `code ${code}`}.`);
        finish();
      };
      const take = (message: FromWorker) => {
        if (message.kind === 'began') running.add(message.name);
        else if (message.kind === 'loaded' || message.kind === 'quiet') {
          if (message.text !== null) failed(message.text);
          if (message.kind === 'quiet') full = message.heap > this.#limits.heap;
          awaited.delete(message.kind);
          if (awaited.size === 0) finish();
        } else {
          running.delete(message.name);
          if (message.kind === 'failed') result.failures.push({ ...message, file });
          else if (message.kind !== 'ended') result[message.kind] += 1;
        }
      };
      const timer = setTimeout(() => {
        print(`\nIt was ended after ${this.#limits.fileMs / 1000} s.\n`);
        this.end();
      }, this.#limits.fileMs);
      child.on('message', take).once('exit', ended);
      child.stdout!.on('data', print);
      child.stderr!.on('data', print);
      child.send({ ...task, patienceMs: this.#limits.patienceMs });
    });
  }

  /** Ends the process with everything that it has started. */
  end(): void {
    if (this.#child?.pid === undefined || this.#child.exitCode !== null) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
    this.#child = undefined;
  }

  #start(memory: readonly string[]): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = spawn(
      process.execPath,
      [...memory, PRELOAD, REPORTER, '--test-reporter-destination=stdout', WORKER],
      {
        cwd: this.#root,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        // A group of its own, so that one signal ends it together with what it has started.
        detached: true,
      },
    );
    child.stdout!.setEncoding('utf8');
    child.stderr!.setEncoding('utf8');
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    this.#child = child;
    return child;
  }
}

interface Waiting {
  task: Task;
  done(result: FileResult): void;
}

/** Runs test files in a few processes, each file alone in its process at a time. */
export class Pool {
  readonly #idle: Worker[];
  readonly #workers: readonly Worker[];
  readonly #waiting: Waiting[] = [];

  /**
   * @param root folder of the checkout
   * @param size how many files run at once
   * @param signal ends the workers and every process they have started
   */
  constructor(root: string, size: number, signal: AbortSignal, limits = LIMITS) {
    this.#workers = Array.from({ length: size }, () => new Worker(root, limits));
    this.#idle = [...this.#workers];
    signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /**
   * Runs the files in the order given, after those of earlier calls.
   * @param onResult is told of each file when it is done
   * @returns what came of each
   */
  run(tasks: readonly Task[], onResult: (result: FileResult) => void = () => {}): Promise<FileResult[]> {
    const results = tasks.map(
      (task) =>
        new Promise<FileResult>((resolve) => {
          const done = (result: FileResult) => {
            onResult(result);
            resolve(result);
          };
          this.#waiting.push({ task, done });
        }),
    );
    for (const worker of this.#idle.splice(0)) this.#work(worker);
    return Promise.all(results);
  }

  async #work(worker: Worker): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.done(await worker.run(next.task));
    }
    this.#idle.push(worker);
  }

  /** Ends the processes; files that have not begun never do, and come to nothing. */
  close(): void {
    for (const { task, done } of this.#waiting.splice(0)) done(nothingOf(task.file));
    for (const worker of this.#workers) worker.end();
  }
}
