import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { currentScope } from '../../../core/request-scope.ts';
import { SlotSet, type SlotSetItem } from '../../../core/slot-set.ts';
import { cpuTimeOf } from '../../../core/thread-watch.ts';
import { GitError } from '../../common/index.ts';
import { CLOCK_FACTOR, READ_MS } from '../../process/index.ts';
import type { FromThread, ToThread } from './readers.messages.ts';

const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 24, stackSizeMb: 4 };
/**
 * Size of the young generation in MB, constant from the start. The default of 1 MB would cause 300 collections per
 * second under load.
 */
const ROOM = '--min-semi-space-size=4';
const USUAL_ROOM = '--min-semi-space-size=0';
/** Maximum number of pending questions of one thread. */
const MAX_OPEN = 200;
/**
 * A thread with pending answers is stuck after this many milliseconds of processor time, or this many without an answer
 * by the clock. No read may take that long.
 */
const STUCK_MS = 60_000;
const LOOK_MS = 15_000;
const LOST_MS = 1.5 * CLOCK_FACTOR * READ_MS;

interface Asked extends SlotSetItem {
  readonly number: number;
  readonly since: number;
  /** Processor time of the thread at the first poll after the question, in milliseconds. */
  from: number | null;
  resolve(answer: { value: unknown } | undefined): void;
  reject(error: unknown): void;
}

/** Identifies a repository to a thread. */
export interface RepositoryLocation {
  readonly id: string;
  readonly dir: string;
}

/** A thread that answers questions, with its pending questions. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #open = new SlotSet<Asked>();
  readonly #onEnd: () => void;
  readonly #time: typeof cpuTimeOf;
  /** Whether it is ready to answer. */
  isReady = false;
  #number = 0;
  #watch: NodeJS.Timeout | undefined;

  /**
   * @param address of the program; `name` is its role; `onEnd` is called once when the thread ends for any reason;
   *   `time` returns the processor time of a thread
   */
  constructor(address: string, name: string, onEnd: () => void, time = cpuTimeOf) {
    let ended = false;
    this.#time = time;
    this.#onEnd = () => {
      setFlagsFromString(USUAL_ROOM);
      if (!ended) onEnd();
      ended = true;
    };
    // The flag is read when a thread starts and applies to all threads started from then on.
    setFlagsFromString(ROOM);
    try {
      this.#worker = new Worker(new URL(address), {
        workerData: name,
        resourceLimits: MEMORY,
        name,
        env: {},
        execArgv: [],
      });
    } catch (error) {
      setFlagsFromString(USUAL_ROOM);
      throw error;
    }
    this.#worker.once('online', () => setFlagsFromString(USUAL_ROOM));
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    // Mostly out of memory.
    this.#worker.on('error', () => this.end());
    this.#worker.on('exit', () => this.end());
    this.#worker.unref();
  }

  /** Number of pending answers. */
  get pending(): number {
    return this.#open.size;
  }

  /** Whether it accepts another question. */
  get isFree(): boolean {
    return this.isReady && this.#open.size < MAX_OPEN;
  }

  /**
   * Asks a question on behalf of the current caller.
   * @returns undefined if the thread cannot answer
   * @throws GitError as the question; `aborted` if the caller is aborted
   */
  ask(
    { id, dir }: RepositoryLocation,
    name: string,
    args: readonly unknown[],
  ): Promise<{ value: unknown } | undefined> {
    const { caller, signal } = currentScope();
    this.#number += 1;
    const number = this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<{ value: unknown } | undefined>();
    this.#open.add({ number, since: performance.now(), from: null, resolve, reject, slot: -1 });
    this.#watch ??= setInterval(() => void this.poll(), LOOK_MS).unref();
    this.#send({ type: 'question', number, id, dir, name, args, caller });
    if (signal === undefined) return promise;
    const leave = () => this.#send({ type: 'leave', number });
    signal.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Announces that a repository is about to be moved or removed. */
  evict(id: string): void {
    this.#send({ type: 'forget', id });
  }

  /** Ends the thread; pending questions are left to their callers. */
  end(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.isReady = false;
    for (const asked of this.#open.all()) {
      this.#open.delete(asked);
      asked.resolve(undefined);
    }
    this.#onEnd();
    void this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.type === 'ready') {
      this.isReady = true;
      return;
    }
    const asked = this.#open.find(({ number }) => number === message.number);
    if (asked === undefined) return;
    this.#open.delete(asked);
    if (message.type === 'answer') asked.resolve({ value: message.value });
    else if (message.type === 'unanswered') asked.resolve(undefined);
    else asked.reject(new GitError(message.code, message.message, message.exitCode));
  }

  /** Ends the thread if it is stuck. */
  async poll(): Promise<void> {
    if (this.#open.size === 0) return;
    const taken = await this.#time(this.#worker);
    const lost = performance.now() - LOST_MS;
    for (const asked of this.#open.all()) {
      asked.from ??= taken;
      const worked = taken === null || asked.from === null ? 0 : taken - asked.from;
      if (worked > STUCK_MS || asked.since < lost) return this.end();
    }
  }
}
