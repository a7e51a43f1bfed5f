import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { Busy } from '../../core/busy.ts';
import { failedToStart, watchThread } from '../../core/thread-watch.ts';
import type { Compiled, CompileRequest } from '../compile-request.ts';
import { failed } from './compile-in-this-thread.ts';
import type { FromWorker, SourceCall, ToWorker } from './compiler.messages.ts';
import { WORKER, workerAddress } from './compiler.worker.ts';

/**
 * Processor time in milliseconds for a configuration, additional time for the first one of a thread, whose code is not
 * optimized yet, and the interval of checks.
 */
const LIMITS = { cpuMs: 5_000, warmUpMs: 2_000, intervalMs: 50 };
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };
const overloaded = () =>
  new Busy(503, '503 Service Unavailable - the server has no time to process the configuration', 5);
const TOO_MUCH = 'The configuration takes too much time or memory to be processed';

/** A compiler thread with its communication. */
export class CompileHost {
  private readonly worker = new Worker(new URL(workerAddress), {
    workerData: WORKER,
    resourceLimits: MEMORY,
    name: WORKER,
    env: {},
    execArgv: [],
  });
  private request: CompileRequest | null = null;
  /** Runs callbacks in the scope of the request: messages arrive in the scope that started the thread. */
  private inScope = AsyncLocalStorage.snapshot();
  private result = Promise.withResolvers<Compiled>();
  private readonly ready = Promise.withResolvers<void>();
  private readonly limits: typeof LIMITS;
  private pendingCalls = 0;
  private isWarm = false;
  private ended = false;

  constructor(limits = LIMITS) {
    this.limits = limits;
    this.worker.on('message', (message: FromWorker) => this.receive(message));
    // Mostly out of memory.
    this.worker.on('error', (error) => this.end(error instanceof Error ? error : new Error(String(error))));
    this.worker.on('exit', () => this.end(new Error('a compiling thread ended')));
  }

  /**
   * Compiles a configuration; a malicious one results in an error and ends the thread.
   * @throws Busy if the server is overloaded; errors of the sources
   */
  async compile(request: CompileRequest): Promise<Compiled> {
    this.request = request;
    this.inScope = AsyncLocalStorage.snapshot();
    this.result = Promise.withResolvers();
    const { sources: _, ...data } = request;
    let unwatch: (() => void) | undefined;
    this.worker.ref();
    try {
      // The start of the thread does not count against the configuration.
      await Promise.race([this.ready.promise, this.result.promise]);
      const { cpuMs, warmUpMs, intervalMs } = this.limits;
      const limits = { cpuMs: this.isWarm ? cpuMs : cpuMs + warmUpMs, intervalMs };
      unwatch = watchThread(this.worker, limits, {
        onExceeded: () => this.stop(),
        onStalled: () => this.end(overloaded()),
      });
      this.send({ type: 'compile', request: data });
      return await this.result.promise;
    } finally {
      unwatch?.();
      this.isWarm = true;
      this.worker.unref();
      this.request = null;
    }
  }

  /** Whether it can compile another configuration: it has not ended, and nothing of the last one is pending. */
  get isFree(): boolean {
    return !this.ended && this.pendingCalls === 0;
  }

  /** Ends the thread. */
  stop(): void {
    this.ended = true;
    this.result.resolve(failed([TOO_MUCH]));
    void this.worker.terminate();
  }

  private end(error: Error): void {
    this.ended = true;
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.result.resolve(failed([TOO_MUCH]));
    else this.result.reject(failedToStart(error) ? overloaded() : error);
    // Nobody may be waiting.
    this.result.promise.catch(() => undefined);
  }

  private send(message: ToWorker): void {
    if (!this.ended) this.worker.postMessage(message);
  }

  private receive(message: FromWorker): void {
    if (message.type === 'ready') this.ready.resolve();
    else if (message.type === 'compiled') this.result.resolve(message.compiled);
    else if (message.type === 'question') void this.inScope(() => this.answer(message.question, message.call));
    else this.result.reject(Object.assign(new Error('compiling failed'), { stack: message.stack }));
  }

  private async answer(question: number, { name, args }: SourceCall): Promise<void> {
    const sources = this.request?.sources;
    if (sources === undefined) return;
    this.pendingCalls++;
    try {
      const method = sources[name] as (...args: unknown[]) => unknown;
      this.send({ type: 'answer', question, value: await method.apply(sources, args) });
    } catch (error) {
      // Rejected here, where it can be told from errors of the configuration.
      this.result.reject(error);
      this.send({ type: 'refusal', question, reason: 'a source failed' });
    } finally {
      this.pendingCalls--;
    }
  }
}
