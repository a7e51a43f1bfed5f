import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { threadTime } from '../../../core/thread-time.ts';

/** Maximum number of REST look-ups per query, and of concurrent ones. */
const MAX_CALLS = 50;
const MAX_CONCURRENT = 4;
/** Maximum number of resolved fields and list nodes. */
const MAX_OBJECTS = 20_000;
/** Maximum number of characters in REST responses and in the result. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ERRORS = 100;
/** Milliseconds of processor time of this thread. */
const MAX_CPU_MS = 30_000;
/** Wall-clock limit: a busy machine may take longer, but every query ends. */
const MAX_WALL_MS = 20 * MAX_CPU_MS;
const CHECK_INTERVAL_MS = 1_000;
/** Number of objects after which a query yields to other requests. */
const YIELD_EVERY = 1_000;

interface Clocks {
  /** Processor time used by this thread, in milliseconds. */
  cpuMs(): number;
  wallMs(): number;
}

const CLOCKS: Clocks = {
  cpuMs: threadTime,
  wallMs: () => performance.now(),
};

/**
 * Limits the cost of one query. Aborts its signal if the query exceeds a limit or its time, or when the client
 * disconnects.
 */
export class QueryBudget {
  readonly #controller = new AbortController();
  readonly #onClientGone: () => void;
  readonly #clientSignal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #waiting: (() => void)[] = [];
  #objects = 0;
  #bytes = 0;
  #errors = 0;
  #calls = 0;
  #running = 0;
  #yieldAt = YIELD_EVERY;

  /** @param gone aborted when the client disconnects */
  constructor(gone: AbortSignal, clocks: Clocks = CLOCKS) {
    this.#clientSignal = gone;
    this.#onClientGone = () => this.#controller.abort(gone.reason);
    if (gone.aborted) this.#onClientGone();
    else gone.addEventListener('abort', this.#onClientGone, { once: true });
    setMaxListeners(0, this.#controller.signal);
    const cpuLimit = clocks.cpuMs() + MAX_CPU_MS;
    const wallLimit = clocks.wallMs() + MAX_WALL_MS;
    this.#timer = setInterval(() => {
      if (clocks.cpuMs() > cpuLimit || clocks.wallMs() > wallLimit) this.#abort('takes too long');
    }, CHECK_INTERVAL_MS);
  }

  /** Aborted when the query must stop; the reason is the error for the client. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Adds objects and bytes to the cost. @throws GraphQLError if a limit is exceeded */
  charge(objects: number, bytes: number): void {
    this.#objects += objects;
    this.#bytes += bytes;
    if (this.#objects > MAX_OBJECTS) this.#abort(`returns more than ${MAX_OBJECTS} objects`);
    if (this.#bytes > MAX_BYTES) this.#abort(`returns more than ${MAX_BYTES} bytes`);
    this.#controller.signal.throwIfAborted();
  }

  /** Counts a field that failed. */
  countError(): void {
    this.#errors += 1;
    if (this.#errors > MAX_ERRORS) this.#abort(`has more than ${MAX_ERRORS} errors`);
  }

  /** Yields to other requests if much was done since the last time. @throws the reason of the signal */
  async yieldTurn(): Promise<void> {
    if (this.#objects < this.#yieldAt) return;
    this.#yieldAt = this.#objects + YIELD_EVERY;
    await setImmediate();
    this.#controller.signal.throwIfAborted();
  }

  /** Runs a look-up with limited concurrency. @throws GraphQLError if there are too many; whatever `ask` throws */
  async limitCall<T>(ask: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    if (this.#calls > MAX_CALLS) this.#abort(`requires more than ${MAX_CALLS} look-ups`);
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      this.#controller.signal.throwIfAborted();
      return await ask();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Releases timers and listeners. Call it when the query has ended. */
  dispose(): void {
    clearInterval(this.#timer);
    this.#clientSignal.removeEventListener('abort', this.#onClientGone);
    this.#controller.abort(new GraphQLError('The query has ended.'));
  }

  #abort(why: string): void {
    this.#controller.abort(new GraphQLError(`The query ${why}. Split it into smaller queries.`));
  }
}
