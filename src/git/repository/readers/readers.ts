import { ReaderThread, type RepositoryLocation } from './reader-thread.ts';

/** Pause in milliseconds before a new thread replaces one that ended by itself. */
const PAUSE_MS = 5_000;
/** Idle time in milliseconds after which the threads end. */
const IDLE_MS = 60_000;

/** Threads of all pools of this process: they take turns, since more threads would only take memory. */
let running = 0;

/** Settings for starting threads. */
export interface ReaderProgram {
  /** Address of the program, and its role. */
  address: string;
  name: string;
  /** Maximum number of threads of all pools of the process; 0 for none. */
  threads: number;
  /** Whether this thread is too busy to compute answers itself. */
  isNeeded: () => boolean;
  /** Maximum number of pending answers of a thread that may still get a question of this name; unlimited if absent. */
  maxPending?: (name: string) => number;
}

/**
 * The pool of reader threads, which moves reads off the main thread. The first thread is started when the main thread
 * is busy, the second when the first is busy. If there is no thread or none is needed, the caller computes the answer
 * itself.
 */
export class Readers {
  readonly #threads = new Set<ReaderThread>();
  #program: ReaderProgram | null = null;
  #startAfter = 0;
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Number of running threads. */
  get size(): number {
    return this.#threads.size;
  }

  /** Allows threads from now on. */
  allow(program: ReaderProgram): void {
    this.#program = program;
  }

  /**
   * Asks the thread with the fewest pending answers.
   * @returns undefined if no thread can answer: the caller computes the answer
   * @throws GitError as the question
   */
  ask(
    location: RepositoryLocation,
    name: string,
    args: readonly unknown[],
  ): Promise<{ value: unknown } | undefined> | undefined {
    if (this.#program === null || this.#program.threads === 0 || !this.#program.isNeeded()) return undefined;
    this.#askedAt = performance.now();
    let thread: ReaderThread | null = null;
    let areReady = true;
    for (const one of this.#threads) {
      areReady &&= one.isReady;
      if (one.isFree && (thread === null || one.pending < thread.pending)) thread = one;
    }
    if (areReady && (thread === null || thread.pending > 0)) this.#start(this.#program);
    const { maxPending } = this.#program;
    if (thread === null || thread.pending >= (maxPending?.(name) ?? Number.POSITIVE_INFINITY)) return undefined;
    return thread.ask(location, name, args);
  }

  /** Announces that a repository is about to be moved or removed. */
  evict(id: string): void {
    for (const thread of this.#threads) thread.evict(id);
  }

  /** Ends all threads permanently. */
  close(): void {
    this.#program = null;
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const thread of this.#threads) thread.end();
  }

  /** Ends all threads; new ones start on demand. */
  endAll(): void {
    for (const thread of this.#threads) {
      this.#threads.delete(thread);
      thread.end();
    }
    this.endIdle();
  }

  #start({ address, name, threads }: ReaderProgram): void {
    if (running >= threads || performance.now() < this.#startAfter) return;
    try {
      const thread = new ReaderThread(address, name, () => {
        running -= 1;
        // The thread may have ended because it was idle.
        if (this.#threads.delete(thread)) this.#startAfter = performance.now() + PAUSE_MS;
      });
      running += 1;
      this.#threads.add(thread);
    } catch {
      // The system cannot start another thread.
      this.#startAfter = performance.now() + PAUSE_MS;
      return;
    }
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#askedAt >= IDLE_MS) this.endIdle();
    }, IDLE_MS / 5).unref();
  }

  /** Ends threads without pending answers; new ones start on demand. */
  endIdle(): void {
    for (const thread of this.#threads) {
      if (thread.pending > 0) continue;
      this.#threads.delete(thread);
      thread.end();
    }
    if (this.#threads.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
