import { Worker } from 'node:worker_threads';
import { watchThread } from '../../core/thread-watch.ts';
import { type FromHighlighter, type HighlightRequest, WORKER, workerAddress } from './highlight.worker.ts';

/**
 * Processor time in milliseconds for a text, additional time for the first one of a thread, whose code is not optimized
 * yet, and the interval of checks.
 */
const LIMITS = { cpuMs: 250, warmUpMs: 250, intervalMs: 25 };
export type HighlightLimits = typeof LIMITS;
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** What became of a text. */
export interface Highlighted {
  /** Lines; null for a text that stays as it is. */
  html: string | null;
  /** Whether it would be the same another time: it is not for lack of resources of the server. */
  isFinal: boolean;
}

const NEVER: Highlighted = { html: null, isFinal: true };
const NOT_NOW: Highlighted = { html: null, isFinal: false };

/** A thread that highlights one text after the other. */
export class HighlightThread {
  readonly #limits: HighlightLimits;
  readonly #ready = Promise.withResolvers<void>();
  #result = Promise.withResolvers<Highlighted>();
  #worker: Worker | undefined;
  #isWarm = false;

  constructor(limits: HighlightLimits = LIMITS) {
    this.#limits = limits;
    try {
      this.#worker = new Worker(new URL(workerAddress), {
        workerData: WORKER,
        resourceLimits: MEMORY,
        name: WORKER,
        env: {},
        execArgv: [],
      });
    } catch {
      return;
    }
    this.#worker.on('message', (message: FromHighlighter) => {
      if (message.type === 'ready') this.#ready.resolve();
      else this.#result.resolve({ html: message.html, isFinal: true });
    });
    // Mostly for lack of resources of the system.
    this.#worker.on('error', ({ code }: NodeJS.ErrnoException) =>
      this.#end(code === 'ERR_WORKER_OUT_OF_MEMORY' ? NEVER : NOT_NOW),
    );
    this.#worker.on('exit', () => this.#end(NOT_NOW));
  }

  /** Whether it can take another text. */
  get runs(): boolean {
    return this.#worker !== undefined;
  }

  /** Highlights a text. One that takes too long ends the thread. To be called again only after it has answered. */
  async highlight(request: HighlightRequest): Promise<Highlighted> {
    const worker = this.#worker;
    if (worker === undefined) return NOT_NOW;
    this.#result = Promise.withResolvers();
    const { cpuMs, warmUpMs, intervalMs } = this.#limits;
    let unwatch: (() => void) | undefined;
    worker.ref();
    try {
      // The start of the thread does not count against the text.
      await Promise.race([this.#ready.promise, this.#result.promise]);
      unwatch = watchThread(
        worker,
        { cpuMs: this.#isWarm ? cpuMs : cpuMs + warmUpMs, intervalMs },
        { onExceeded: () => this.#end(NEVER), onStalled: () => this.#end(NOT_NOW) },
      );
      if (this.runs) worker.postMessage(request);
      return await this.#result.promise;
    } finally {
      unwatch?.();
      this.#isWarm = true;
      worker.unref();
    }
  }

  /** Ends the thread. */
  stop(): void {
    this.#end(NOT_NOW);
  }

  #end(result: Highlighted): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#result.resolve(result);
    void worker?.terminate();
  }
}
