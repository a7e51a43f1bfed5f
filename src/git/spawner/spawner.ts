import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SpawnedChild } from './child.ts';
import { spawnDirectly } from './spawn-directly.ts';
import { type FromSpawner, lines, type ToSpawner } from './spawner.messages.ts';
import { programAddress } from './spawner.program.ts';

export interface ChildPlan {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Pipes from 0 on, at least the three standard ones. */
  pipes: number;
}

/** It needs a small heap, and hardly ever a compiler. */
const MEMORY = ['--max-old-space-size=32', '--max-semi-space-size=1', '--no-opt', '--single-threaded'];
/**
 * A start that is unanswered at so many looks shows that the spawner hangs. It is no clock that counts: what this process missed
 * itself, where processors are short, is not held against the other.
 */
const STALL_LOOKS = 12;
const LOOK_MS = 5_000;

/** The small process that starts children, and the children that it started. */
export class Spawner {
  readonly #process: ChildProcess;
  readonly #path: string;
  readonly #children = new Map<number, SpawnedChild>();
  /** Children that are being started, the oldest first, and the looks that found them unanswered. */
  readonly #starting = new Map<number, number>();
  readonly #watch: NodeJS.Timeout;
  #last = 0;
  #ended = false;

  /**
   * Starts one, and waits until it can take work.
   * @param onEnd called once, when it is gone
   * @throws Error where it cannot be started
   */
  static async start(onEnd: () => void): Promise<Spawner> {
    const program = fileURLToPath(programAddress);
    const child = spawnDirectly(process.execPath, [...MEMORY, program], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH },
      cwd: '/',
      detached: true,
    });
    const listens = Promise.withResolvers<string>();
    const gone = () => listens.reject(new Error('the process that starts git ended at its start'));
    // It may end before anybody waits.
    listens.promise.catch(() => {});
    child.on('error', gone).on('exit', gone);
    let take = (message: FromSpawner) => {
      if ('listens' in message) listens.resolve(message.listens);
    };
    child.stdout!.setEncoding('utf8').on(
      'data',
      lines<FromSpawner>((message) => take(message)),
    );
    const timer = setTimeout(() => child.kill('SIGKILL'), STALL_LOOKS * LOOK_MS);
    try {
      const spawner = new Spawner(child, await listens.promise);
      take = (message) => spawner.#take(message);
      child.off('exit', gone).once('exit', () => {
        spawner.#end();
        onEnd();
      });
      return spawner;
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(child: ChildProcess, path: string) {
    this.#process = child;
    this.#path = path;
    this.#watch = setInterval(() => this.poll(), LOOK_MS).unref();
    // Its pipes keep no process alive that has nothing else to do.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref();
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Has a child started; what goes wrong is an `error` of the child. */
  child({ command, args, cwd, env, pipes }: ChildPlan): SpawnedChild {
    this.#last += 1;
    const id = this.#last;
    const child = new SpawnedChild({
      id,
      path: this.#path,
      pipes,
      signal: (signal) => this.#tell({ signal: { id, signal } }),
      onMissing: () => this.#tell({ cancel: { id } }),
      onBroken: () => this.kill(),
    });
    this.#children.set(id, child);
    this.#starting.set(id, 0);
    this.#tell({ start: { id, command, args, cwd, env, pipes } });
    return child;
  }

  /** Lets it end; its children go on, but nobody learns of their ends. */
  stop(): void {
    this.#process.stdin!.end();
  }

  /** Ends it at once, and with it what it started. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #tell(message: ToSpawner): void {
    this.#process.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: FromSpawner): void {
    if ('started' in message) {
      const { id, pid } = message.started;
      this.#starting.delete(id);
      this.#children.get(id)?.runs(pid);
    } else if ('failed' in message) {
      const { id, code, message: text } = message.failed;
      this.#starting.delete(id);
      const child = this.#children.get(id);
      this.#children.delete(id);
      child?.failed(Object.assign(new Error(text), { code }));
    } else if ('ended' in message) {
      const { id, code, signal } = message.ended;
      const child = this.#children.get(id);
      this.#children.delete(id);
      // Its start may have been told in the same piece: whoever waited for that listens before it ends.
      setImmediate(() => child?.ends(code, signal));
    }
  }

  /** Ends it where it hangs. */
  poll(): void {
    const [oldest] = this.#starting;
    if (oldest === undefined) return;
    const [id, looks] = oldest;
    this.#starting.set(id, looks + 1);
    if (looks + 1 >= STALL_LOOKS) this.kill();
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#watch);
    for (const child of this.#children.values()) child.lost();
    this.#children.clear();
    // One that was killed could not.
    rm(dirname(this.#path), { recursive: true, force: true }).catch(() => {});
  }
}
