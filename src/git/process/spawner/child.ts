import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { isResourceExhaustion } from '../../../core/resource-exhaustion.ts';
import { pipeHead } from './spawner.messages.ts';

/** The parts of Node's `ChildProcess` in use, whichever process started the child. */
export interface Child {
  /** Undefined until it runs, and if it could not be started. */
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

/** A connection that becomes a pipe of a child. Data written before the child runs is sent once it does. */
class Pipe extends Socket {
  readonly #running: Promise<void>;

  /**
   * @param head identifies the child to the spawner
   * @param running fulfils when the child runs; until then the spawner reads from the connection
   */
  constructor(path: string, head: Buffer, running: Promise<void>) {
    super();
    this.#running = running;
    this.connect(path);
    super._write(head, 'buffer' as BufferEncoding, () => {});
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#onceRunning(() => super._write(chunk, encoding, callback), callback);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    this.#onceRunning(() => super._writev!(chunks, callback), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#onceRunning(() => super._final(callback), callback);
  }

  #onceRunning(go: () => void, callback: (error: Error) => void): void {
    this.#running.then(go, callback);
  }
}

/** Interface of a child to its spawner. */
export interface SpawnerSide {
  /** Number of the child. */
  id: number;
  /** Path of the spawner's socket. */
  path: string;
  pipes: number;
  /** Signals the child's process group. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Called if a pipe was lost before the child is known to run. */
  onMissing(): void;
  /** Called if the spawner accepts no connections. */
  onBroken(): void;
}

/** A child of the spawner. Its pipes are connections to the spawner. */
export class SpawnedChild extends EventEmitter implements Child {
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly stdio: readonly Socket[];
  /** Fulfils when the child runs. */
  readonly started: Promise<void>;
  readonly #side: SpawnerSide;
  readonly #start = Promise.withResolvers<void>();
  #open: number;
  #ended = false;

  constructor(side: SpawnerSide) {
    super();
    this.#side = side;
    this.started = this.#start.promise;
    this.started.catch(() => {});
    const { id, path, pipes } = side;
    this.stdio = Array.from({ length: pipes }, (_, index) => new Pipe(path, pipeHead(id, index), this.started));
    // Standard input is closed with the child, whatever it contains.
    this.#open = pipes - 1;
    this.stdio.forEach((pipe, index) => {
      pipe.on('error', (error: NodeJS.ErrnoException) => this.#cannotConnect(error));
      pipe.once('close', () => {
        // The child may have run and ended, which the spawner knows.
        if (this.pid === undefined && !this.#ended) side.onMissing();
        if (index > 0) this.#closed();
      });
      if (index === 0) pipe.resume();
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

  /** Signals its process group. */
  signalGroup(name: 'SIGTERM' | 'SIGKILL'): void {
    if (!this.#ended) this.#side.signal(name);
  }

  /** Records that the child runs. */
  runs(pid: number): void {
    this.pid = pid;
    this.#start.resolve();
  }

  /** Records that the child could not be started. */
  failed(error: Error): void {
    if (this.#ended) return;
    this.#start.reject(error);
    this.emit('error', error);
    for (const pipe of this.stdio) pipe.destroy();
    this.ends(null, null);
  }

  /** Records that the child has ended. */
  ends(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.exitCode = code;
    this.signalCode = signal;
    this.stdin.destroy();
    this.emit('exit', code, signal);
    // Unread output would never end.
    process.nextTick(() => {
      for (const pipe of this.stdio.slice(1)) if (pipe.readable) pipe.resume();
    });
    if (this.#open === 0) this.emit('close', code, signal);
  }

  /** Records that its end will not be reported. It may have run. */
  lost(): void {
    if (this.#ended) return;
    if (this.pid !== undefined) {
      try {
        process.kill(-this.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    const error = Object.assign(new Error('the spawner process has exited'), { code: 'EAGAIN' });
    this.#start.reject(error);
    // Not `undefined`, since it is unknown whether the child did its work.
    this.pid ??= 0;
    this.emit('error', error);
    // The error tells readers that a retry is possible.
    for (const pipe of this.stdio) pipe.destroy(error);
    this.ends(null, 'SIGKILL');
  }

  #cannotConnect(error: NodeJS.ErrnoException): void {
    if (this.pid !== undefined || this.#ended) return;
    if (error.syscall === 'connect' && !isResourceExhaustion(error)) this.#side.onBroken();
  }

  #closed(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#ended) this.emit('close', this.exitCode, this.signalCode);
  }
}
