import { ReaderThread, type RepositoryLocation } from './reader-thread.ts';

/** After one has ended by itself no other is started for so long, in milliseconds. */
const PAUSE_MS = 5_000;
/** Without a question for so long, in milliseconds, they end. */
const IDLE_MS = 60_000;

/** What is needed to start threads. */
export interface ReaderProgram {
  /** Where the program is, and what it is told to be. */
  address: string;
  name: string;
  /** Threads at most; 0 for none. */
  threads: number;
  /** Whether this thread has too little time to find answers itself. */
  isNeeded: () => boolean;
  /** How many answers a thread may owe and still be asked a question of this name; any number where it is not given. */
  maxPending?: (name: string) => number;
}

/**
 * The threads that answer questions about repositories, so that reading takes the time of other processors than that which
 * serves everybody. They are started when that one is busy, the second one when the first has enough to do; while there is none
 * to ask, or none is needed, whoever asks finds the answer themselves.
 */
export class Readers {
  readonly #threads = new Set<ReaderThread>();
  #program: ReaderProgram | null = null;
  #startAfter = 0;
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** How many live. */
  get size(): number {
    return this.#threads.size;
  }

  /** Allows threads from now on. */
  allow(program: ReaderProgram): void {
    this.#program = program;
  }

  /**
   * Asks the thread that owes least.
   * @returns undefined where none can answer: then the answer is to be found here
   * @throws GitError as the question does
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
    const { maxPending: mostOwed } = this.#program;
    if (thread === null || thread.pending >= (mostOwed?.(name) ?? Number.POSITIVE_INFINITY)) return undefined;
    return thread.ask(location, name, args);
  }

  /** Says that a repository is about to be moved or removed. */
  evict(id: string): void {
    for (const thread of this.#threads) thread.evict(id);
  }

  /** Ends all threads; no other is started. */
  close(): void {
    this.#program = null;
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const thread of this.#threads) thread.end();
  }

  #start({ address, name, threads }: ReaderProgram): void {
    if (this.#threads.size >= threads || performance.now() < this.#startAfter) return;
    try {
      const thread = new ReaderThread(address, name, () => {
        // It may have been ended because nothing was asked.
        if (this.#threads.delete(thread)) this.#startAfter = performance.now() + PAUSE_MS;
      });
      this.#threads.add(thread);
    } catch {
      // The system has no thread to give.
      this.#startAfter = performance.now() + PAUSE_MS;
      return;
    }
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#askedAt >= IDLE_MS) this.endIdle();
    }, IDLE_MS / 5).unref();
  }

  /** Ends threads that owe nothing; others are started when they are needed. */
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
