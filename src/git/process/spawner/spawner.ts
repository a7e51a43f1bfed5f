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
  /** Number of pipes from 0 on, at least the three standard ones. */
  pipes: number;
}

/** Memory settings: it needs a small heap and hardly any compilation. */
const MEMORY = ['--max-old-space-size=32', '--max-semi-space-size=1', '--no-opt', '--single-threaded'];
/**
 * Number of checks after which an unanswered start means that the spawner hangs. Checks are counted instead of time, so
 * that delays of this process do not count against it.
 */
const STALL_LOOKS = 12;
const LOOK_MS = 5_000;

/** The spawner process and its children. */
export class Spawner {
  readonly #process: ChildProcess;
  readonly #path: string;
  readonly #children = new Map<number, SpawnedChild>();
  /** Children being started, oldest first, with the number of checks since. */
  readonly #starting = new Map<number, number>();
  readonly #watch: NodeJS.Timeout;
  #last = 0;
  #ended = false;

  /**
   * Starts a spawner and waits until it is ready.
   * @param onEnd called once when it has ended
   * @throws Error if it cannot be started
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
    const gone = () => listens.reject(new Error('the spawner process exited on start'));
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
    // Its pipes do not keep an otherwise idle process alive.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref();
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Starts a child; failures are reported by an `error` event of the child. */
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

  /** Lets the spawner end; its children continue, but their ends are not reported. */
  stop(): void {
    this.#process.stdin!.end();
  }

  /** Kills the spawner and its children. */
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
      // The same chunk may report its start: listeners for it must be attached before it ends.
      setImmediate(() => child?.ends(code, signal));
    }
  }

  /** Ends the spawner if it hangs. */
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
    // A killed spawner cannot remove it itself.
    rm(dirname(this.#path), { recursive: true, force: true }).catch(() => {});
  }
}
