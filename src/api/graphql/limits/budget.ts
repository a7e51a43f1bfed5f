import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { GraphQLError } from 'graphql';

/** Look-ups in the REST API, and how many of them are under way at once. */
const MAX_CALLS = 50;
const AT_ONCE = 4;
/** Fields answered and things that lists are made of. */
const MAX_OBJECTS = 20_000;
/** Characters of what the REST API says, and of the answer. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ERRORS = 100;
/** Milliseconds of processor time of the thread that answers. */
const MAX_PROCESSOR_MS = 30_000;
/** A machine that is busy with others may take longer; but everything ends. */
const MAX_CLOCK_MS = 120_000;
const LOOK_MS = 1_000;
/** So many objects are made before others have a turn. */
const TURN = 1_000;

/** What time is measured by. */
interface Times {
  /** Milliseconds of processor time that this thread has taken. */
  processorMs(): number;
  clockMs(): number;
}

const TIMES: Times = {
  processorMs: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  clockMs: () => performance.now(),
};

/** What one question may cost: it is ended as soon as it has cost more, when its time is over, or when its client has gone. */
export class Work {
  readonly #end = new AbortController();
  readonly #onGone: () => void;
  readonly #gone: AbortSignal;
  readonly #clock: NodeJS.Timeout;
  readonly #waiting: (() => void)[] = [];
  #objects = 0;
  #bytes = 0;
  #errors = 0;
  #calls = 0;
  #running = 0;
  #turnAt = TURN;

  /** @param gone aborted when nobody waits for the answer any more */
  constructor(gone: AbortSignal, times: Times = TIMES) {
    this.#gone = gone;
    this.#onGone = () => this.#end.abort(gone.reason);
    if (gone.aborted) this.#onGone();
    else gone.addEventListener('abort', this.#onGone, { once: true });
    setMaxListeners(0, this.#end.signal);
    const processor = times.processorMs() + MAX_PROCESSOR_MS;
    const clock = times.clockMs() + MAX_CLOCK_MS;
    this.#clock = setInterval(() => {
      if (times.processorMs() > processor || times.clockMs() > clock) this.#stop('takes too much time');
    }, LOOK_MS);
  }

  /** Aborted when nothing more is to be done; the reason is what the client is told. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Counts what was made. @throws GraphQLError when that is too much */
  made(objects: number, bytes: number): void {
    this.#objects += objects;
    this.#bytes += bytes;
    if (this.#objects > MAX_OBJECTS) this.#stop(`asks for more than ${MAX_OBJECTS} things`);
    if (this.#bytes > MAX_BYTES) this.#stop(`asks for more than ${MAX_BYTES} bytes`);
    this.#end.signal.throwIfAborted();
  }

  /** Counts a field that could not be answered. */
  failed(): void {
    this.#errors += 1;
    if (this.#errors > MAX_ERRORS) this.#stop(`meets more than ${MAX_ERRORS} errors`);
  }

  /** Lets others have a turn where much was made since they had one. @throws what the signal says */
  async breathe(): Promise<void> {
    if (this.#objects < this.#turnAt) return;
    this.#turnAt = this.#objects + TURN;
    await setImmediate();
    this.#end.signal.throwIfAborted();
  }

  /** Does a look-up, a few at a time. @throws GraphQLError when there are too many; what it throws */
  async call<T>(ask: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    if (this.#calls > MAX_CALLS) this.#stop(`asks for too much (more than ${MAX_CALLS} look-ups)`);
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      this.#end.signal.throwIfAborted();
      return await ask();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** To be called when the answer is there, or will never be. */
  end(): void {
    clearInterval(this.#clock);
    this.#gone.removeEventListener('abort', this.#onGone);
    this.#end.abort(new GraphQLError('The question has been answered.'));
  }

  #stop(why: string): void {
    this.#end.abort(new GraphQLError(`The question ${why}: split it.`));
  }
}
