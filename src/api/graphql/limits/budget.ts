import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { threadTime } from '../../../core/thread-time.ts';

/** Look-ups in the REST API, and how many of them are under way at once. */
const MAX_CALLS = 50;
const MAX_CONCURRENT = 4;
/** Fields answered and things that lists are made of. */
const MAX_OBJECTS = 20_000;
/** Characters of what the REST API says, and of the answer. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ERRORS = 100;
/** Milliseconds of processor time of the thread that answers. */
const MAX_CPU_MS = 30_000;
/** A machine that is busy with others may take longer; but everything ends. */
const MAX_WALL_MS = 20 * MAX_CPU_MS;
const CHECK_INTERVAL_MS = 1_000;
/** So many objects are made before others have a turn. */
const YIELD_EVERY = 1_000;

interface Clocks {
  /** Milliseconds of processor time that this thread has taken. */
  cpuMs(): number;
  wallMs(): number;
}

const CLOCKS: Clocks = {
  cpuMs: threadTime,
  wallMs: () => performance.now(),
};

/** What one query may cost. Its signal is aborted as soon as it has cost more, when its time is over, or when its client has gone. */
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

  /** @param gone aborted when nobody waits for the answer any more */
  constructor(gone: AbortSignal, clocks: Clocks = CLOCKS) {
    this.#clientSignal = gone;
    this.#onClientGone = () => this.#controller.abort(gone.reason);
    if (gone.aborted) this.#onClientGone();
    else gone.addEventListener('abort', this.#onClientGone, { once: true });
    setMaxListeners(0, this.#controller.signal);
    const cpuLimit = clocks.cpuMs() + MAX_CPU_MS;
    const wallLimit = clocks.wallMs() + MAX_WALL_MS;
    this.#timer = setInterval(() => {
      if (clocks.cpuMs() > cpuLimit || clocks.wallMs() > wallLimit) this.#abort('takes too much time');
    }, CHECK_INTERVAL_MS);
  }

  /** Aborted when nothing more is to be done; the reason is what the client is told. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Counts what was made. @throws GraphQLError when that is too much */
  charge(objects: number, bytes: number): void {
    this.#objects += objects;
    this.#bytes += bytes;
    if (this.#objects > MAX_OBJECTS) this.#abort(`asks for more than ${MAX_OBJECTS} things`);
    if (this.#bytes > MAX_BYTES) this.#abort(`asks for more than ${MAX_BYTES} bytes`);
    this.#controller.signal.throwIfAborted();
  }

  /** Counts a field that could not be answered. */
  countError(): void {
    this.#errors += 1;
    if (this.#errors > MAX_ERRORS) this.#abort(`meets more than ${MAX_ERRORS} errors`);
  }

  /** Lets others have a turn where much was made since they had one. @throws what the signal says */
  async yieldTurn(): Promise<void> {
    if (this.#objects < this.#yieldAt) return;
    this.#yieldAt = this.#objects + YIELD_EVERY;
    await setImmediate();
    this.#controller.signal.throwIfAborted();
  }

  /** Does a look-up, a few at a time. @throws GraphQLError when there are too many; what it throws */
  async limitCall<T>(ask: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    if (this.#calls > MAX_CALLS) this.#abort(`asks for too much (more than ${MAX_CALLS} look-ups)`);
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

  /** To be called once the answer is there, or never will be. */
  dispose(): void {
    clearInterval(this.#timer);
    this.#clientSignal.removeEventListener('abort', this.#onClientGone);
    this.#controller.abort(new GraphQLError('The query has been answered.'));
  }

  #abort(why: string): void {
    this.#controller.abort(new GraphQLError(`The query ${why}: split it.`));
  }
}
