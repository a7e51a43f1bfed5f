import { Worker } from 'node:worker_threads';
import { isUnsynced } from '../../../core/unsynced-folders.ts';
import type { NamedObject } from '../loose-files.ts';
import { errorOf, fileOf, type ReplaceTask, retryTask, runTask, type Task, type TaskResult } from './tasks.ts';
import type { TakenLock } from './writer.locks.ts';
import type { FromWriter, TaskMessage } from './writer.messages.ts';
import { WRITER, writerAddress } from './writer.thread.ts';

const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };
/**
 * The thread takes some 9 MB, and 30 ms to start, so it is started after this many tasks in this many milliseconds ...
 */
const BUSY_TASKS = 100;
const BUSY_MS = 2_000;
/** ... and ends after this idle time in milliseconds. */
const IDLE_MS = 30_000;

interface Asked {
  task: Task;
  file: number | null;
  resolve(done: TaskResult | Promise<TaskResult>): void;
  reject(error: unknown): void;
}

/** A thread that runs tasks, with its pending tasks. */
class WritingThread {
  readonly #worker: Worker;
  readonly #open = new Map<number, Asked>();
  readonly #onEnd: () => void;
  isReady = false;
  readonly #started = Promise.withResolvers<void>();
  /** Fulfils when it is ready, or has ended. */
  readonly started = this.#started.promise;
  #number = 0;
  #usedAt = performance.now();
  readonly #watch = setInterval(() => this.#look(), IDLE_MS / 2).unref();

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = new Worker(new URL(writerAddress), {
      workerData: WRITER,
      resourceLimits: MEMORY,
      name: WRITER,
      env: {},
      execArgv: [],
    });
    this.#worker.on('message', (message: FromWriter) => this.#receive(message));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
    this.#worker.unref();
  }

  ask(task: Task): Promise<TaskResult> {
    this.#number += 1;
    const number = this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
    if (this.#open.size === 0) this.#worker.ref();
    this.#open.set(number, { task, file: fileOf(task), resolve, reject });
    this.#usedAt = performance.now();
    const [asked, memory] = handed(task);
    this.#worker.postMessage({ number, task: asked }, memory);
    return promise;
  }

  #receive(message: FromWriter): void {
    const { number } = message;
    if (number === 0) {
      this.isReady = true;
      this.#started.resolve();
      return;
    }
    const asked = this.#open.get(number);
    this.#open.delete(number);
    if (this.#open.size === 0) this.#worker.unref();
    if ('done' in message) asked?.resolve(message.done);
    else asked?.reject(errorOf(message.failure));
  }

  #look(): void {
    if (this.#open.size === 0 && performance.now() - this.#usedAt > IDLE_MS) this.#end();
  }

  /**
   * Pending tasks are repeated here: each tolerates a repetition; a lock that the thread has created counts as held by
   * another writer.
   */
  #end(): void {
    clearInterval(this.#watch);
    this.isReady = false;
    this.#started.resolve();
    this.#onEnd();
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { task, file, resolve } of open) resolve(retryTask(task, file));
    void this.#worker.terminate();
  }
}

/** The message of a task, and the memory transferred with it. */
function handed(task: Task): [TaskMessage, ArrayBuffer[]] {
  if (task.name !== 'objects') return [task, []];
  const { name, objects, batch } = task;
  const contents = batch.map(({ data }) => data as Buffer);
  const bytes = new Uint8Array(contents.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  const list = batch.map(({ type, oid }, index) => {
    const { length } = contents[index]!;
    bytes.set(contents[index]!, at);
    at += length;
    return { type, oid, length };
  });
  return [{ name, objects, list, bytes }, [bytes.buffer]];
}

let thread: WritingThread | null = null;
/** Times of the latest tasks, oldest first. */
const times: number[] = [];

/** Number of callers that require all tasks to run in this thread. */
let stays = 0;

/** Runs all tasks in this thread until the returned function is called: for tests that count or fail tasks. */
export function writeInThisThread(): () => void {
  stays += 1;
  return () => {
    stays -= 1;
  };
}

/** A path of what a task writes. */
function placeOf(task: Task): string | Uint8Array {
  if (task.name === 'objects') return task.objects;
  if (task.name === 'lock') return task.path;
  return task.name === 'put' ? task.to : task.dir;
}

/** Runs a task on the writer thread if there are many tasks, else here. */
function run(task: Task): Promise<TaskResult> {
  // Without a disk to wait for it is done sooner here.
  if (stays > 0 || isUnsynced(placeOf(task))) return runTask(task);
  if (thread === null && isBusy()) thread = begin();
  return thread?.isReady ? thread.ask(task) : runTask(task);
}

/** Runs a task on the writer thread even if there are few tasks: one that may wait for the disk often. */
async function runApart(task: Task): Promise<TaskResult> {
  if (stays > 0) return runTask(task);
  thread ??= begin();
  await thread?.started;
  return thread?.isReady ? thread.ask(task) : runTask(task);
}

/** Starts a thread; null if the system cannot start one. */
function begin(): WritingThread | null {
  try {
    const begun = new WritingThread(() => {
      if (thread === begun) thread = null;
    });
    return begun;
  } catch {
    return null;
  }
}

function isBusy(): boolean {
  const now = performance.now();
  times.push(now);
  if (times.length < BUSY_TASKS) return false;
  const busy = now - times.shift()! < BUSY_MS;
  if (busy) times.length = 0;
  return busy;
}

/**
 * Writes objects; durable and visible to every git process when it fulfils.
 * @param objects the `objects` folder of the repository
 * @param batch few, small objects
 * @returns the names of those that did not exist
 * @throws the file system's error
 */
export async function storeObjects(
  objects: string,
  batch: readonly (NamedObject & { data: Buffer })[],
): Promise<string[]> {
  return (await run({ name: 'objects', objects, batch })).fresh!;
}

/**
 * Creates a lock file with its content; durable when it fulfils.
 * @throws the file system's error; the file then does not exist
 */
export async function makeLock(path: string | Buffer, content: string): Promise<void> {
  await run({ name: 'lock', path, content });
}

/**
 * Renames a file over another one; durable when it fulfils if a folder is given.
 * @returns the reason why the renamed file may not be durable, or null
 * @throws the file system's error; the file then keeps its name
 */
export async function replaceFile(task: Omit<ReplaceTask, 'name'>): Promise<Error | null> {
  const { unsafe } = await run({ name: 'put', ...task });
  return unsafe === undefined ? null : errorOf(unsafe);
}

/**
 * Takes the locks of references in order, until one is held or cannot be taken immediately.
 * @param dir directory of the repository
 * @param refs full names, at most some hundreds
 * @returns the locks taken, and the created folders relative to `dir`
 */
export async function takeLocks(dir: string, refs: readonly string[]): Promise<{ taken: TakenLock[]; made: string[] }> {
  const { taken = [], made = [] } = await runApart({ name: 'locks', dir, refs });
  return { taken, made };
}

/**
 * Removes existing files of a repository.
 * @param names relative to `dir`, at most some hundreds
 * @param files their inodes, if other files may get these names right after the removal
 * @throws the first file system error; the other files are removed
 */
export async function removeFiles(
  dir: string,
  names: readonly string[],
  files: readonly number[] | null = null,
): Promise<void> {
  await runApart({ name: 'remove', dir, names, files });
}
