import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** A child process, whoever started it: what of Node's `ChildProcess` is used of it. */
export interface Child {
  /** Undefined while it does not run yet, and where it could not be started. */
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly stdio: readonly (Readable | Writable | null | undefined)[];
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close' | 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

/**
 * A connection that, once begun, is made even where it is destroyed before: the spawner tells connections by their order, so
 * that with one that may be missing it could not tell any more whose the next ones are.
 */
class Pipe extends Socket {
  override destroy(error?: Error): this {
    if (!this.connecting) return super.destroy(error);
    this.once('connect', () => super.destroy(error));
    return this;
  }
}

/** A child of the spawner. Its pipes are connections that the spawner hands to it. */
export class SpawnedChild extends EventEmitter implements Child {
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly stdio: readonly Socket[];
  /** Fulfils when it runs. */
  readonly started: Promise<void>;
  readonly #signal: (name: 'SIGTERM' | 'SIGKILL') => void;
  readonly #start = Promise.withResolvers<void>();
  #open: number;
  #ended = false;

  /**
   * @param path where the spawner takes connections
   * @param signal signals it and all that it started
   * @param onBroken told where the spawner takes none
   */
  constructor(path: string, pipes: number, signal: (name: 'SIGTERM' | 'SIGKILL') => void, onBroken: () => void) {
    super();
    this.started = this.#start.promise;
    this.started.catch(() => {});
    this.#signal = signal;
    this.stdio = Array.from({ length: pipes }, () => new Pipe().connect(path));
    // Standard input is closed with the child, whatever lies in it.
    this.#open = pipes - 1;
    this.stdio.forEach((pipe, index) => {
      pipe.once('error', onBroken).once('connect', () => pipe.off('error', onBroken));
      pipe.on('error', () => {});
      if (index === 0) pipe.resume();
      else pipe.once('close', () => this.#closed());
    });
  }

  get stdin(): Socket {
    return this.stdio[0]!;
  }

  get stdout(): Socket {
    return this.stdio[1]!;
  }

  get stderr(): Socket {
    return this.stdio[2]!;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Signals it and all that it started. */
  signalGroup(name: 'SIGTERM' | 'SIGKILL'): void {
    if (!this.#ended) this.#signal(name);
  }

  /** Takes in that it runs. */
  runs(pid: number): void {
    this.pid = pid;
    this.#start.resolve();
  }

  /** Takes in that it could not be started. */
  failed(error: Error): void {
    if (this.#ended) return;
    this.#start.reject(error);
    this.emit('error', error);
    for (const pipe of this.stdio) pipe.destroy();
    this.ends(null, null);
  }

  /** Takes in that it has ended. */
  ends(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.exitCode = code;
    this.signalCode = signal;
    this.stdin.destroy();
    this.emit('exit', code, signal);
    // What nobody reads would never end.
    process.nextTick(() => {
      for (const pipe of this.stdio.slice(1)) if (pipe.readable) pipe.resume();
    });
    if (this.#open === 0) this.emit('close', code, signal);
  }

  /** Takes in that nobody will tell of its end any more. It may have run. */
  lost(): void {
    if (this.#ended) return;
    if (this.pid !== undefined) {
      try {
        process.kill(-this.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    const error = Object.assign(new Error('the process that starts git ended'), { code: 'EAGAIN' });
    this.#start.reject(error);
    // Not `undefined`: of what was asked of it nobody knows whether it was done.
    this.pid ??= 0;
    this.emit('error', error);
    // Whoever reads learns that it may be asked for again.
    for (const pipe of this.stdio) pipe.destroy(error);
    this.ends(null, 'SIGKILL');
  }

  #closed(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#ended) this.emit('close', this.exitCode, this.signalCode);
  }
}
