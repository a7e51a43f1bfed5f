import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SERVER } from '../../core/fair-slots.ts';
import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import type { GraphLayer } from '../commit-graph/layer.ts';
import type { DiffStats } from '../line-diff/line-diff.ts';
import { lowerPriority, NICE } from '../priority.ts';
import { killGroup, takePlace } from '../process.ts';
import type { Child } from '../spawner/child.ts';
import { startChild, whenStarted } from '../spawner/start-child.ts';
import { limitWork } from '../work-limit.ts';
import type { Job, Slice } from './messages.ts';
import { programAddress } from './program.ts';
import { NONE, ROW_BYTES, WHOLE } from './tally.ts';

const HOUR = 3_600_000;
/** Two threads count for one repository: half a machine that has nothing else to do would be left idle by one. */
const THREADS = Math.min(2, availableParallelism());
const FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=2', '--single-threaded-gc'];
/** So that what is free goes back to the system, whichever thread had it (`bin/allocator.js`). */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '4194304' };

/** Lines that a commit adds and removes. */
export interface Counted extends DiffStats {
  /** Whether those of files that it adds and removes are missing: together they may be renamed ones. */
  isPart: boolean;
}

/** Whether paths of a layer, and of all below it, are indexed such that lines can be counted by them. */
export function canCount({ layers }: CommitGraph, layer: GraphLayer): boolean {
  const below = layers.slice(0, layers.indexOf(layer) + 1);
  const salt = layer.pathIndex?.salt;
  return below.every(({ pathIndex }) => pathIndex?.isTooMuch === false && salt !== undefined && pathIndex.salt.equals(salt));
}

/** A process that counts lines of commits, path by path: each version of a file is read once. */
export class LineCounter {
  readonly #child: Child;
  readonly #leave: () => void;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #ended = false;
  #wake: () => void = () => {};

  private constructor(child: Child, leave: () => void) {
    this.#child = child;
    this.#leave = leave;
  }

  /**
   * Starts one for a layer for which `canCount` holds.
   * @param signal ends it
   * @returns null where it cannot be started
   * @throws GitError `busy`, `aborted`
   */
  static async start(dir: string, layer: GraphLayer, signal?: AbortSignal): Promise<LineCounter | null> {
    const leave = await takePlace('command', SERVER, signal);
    try {
      const child = startChild({
        command: process.execPath,
        args: [...FLAGS, fileURLToPath(programAddress)],
        cwd: '/',
        env: { PATH: process.env.PATH ?? '', ...ENVIRONMENT },
        pipes: 3,
      });
      child.on('error', () => {});
      const counter = new LineCounter(child, leave);
      counter.#watch(signal);
      await whenStarted(child);
      lowerPriority(child, NICE.background);
      counter.#tell({ dir, sum: layer.sum.toString('hex'), threads: THREADS });
      return counter;
    } catch {
      // The system has no process to give.
      leave();
      return null;
    }
  }

  #watch(signal: AbortSignal | undefined): void {
    const child = this.#child;
    const stop = () => killGroup(child);
    const unlimit = limitWork(() => child.pid, { processorMs: HOUR, timeoutMs: HOUR }, stop);
    signal?.addEventListener('abort', stop, { once: true });
    const end = () => {
      if (this.#ended) return;
      this.#ended = true;
      unlimit();
      signal?.removeEventListener('abort', stop);
      this.#leave();
      this.#wake();
    };
    child.on('close', end);
    child.on('error', end);
    child.stdin!.on('error', () => {});
    child.stderr!.resume();
    child.stdout!.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
  }

  #tell(message: Job | Slice): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Counts lines of commits of the layer.
   * @returns for each place what was found, null where git is to be asked for it; null where the process has ended
   */
  async count(places: readonly number[]): Promise<(Counted | null)[] | null> {
    this.#tell({ places });
    const wanted = ROW_BYTES * places.length;
    while (this.#length < wanted && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    const rows = Buffer.concat(this.#chunks.splice(0));
    this.#length = 0;
    if (rows.length !== wanted) return null;
    return places.map((_, nth) => rowAt(rows, nth * ROW_BYTES));
  }

  /** Ends it. */
  async end(): Promise<void> {
    if (this.#ended) return;
    const ends = once(this.#child as never, 'close').catch(() => {});
    this.#child.stdin!.end();
    await ends;
  }
}

function rowAt(rows: Buffer, at: number): Counted | null {
  const told = rows.readUInt32BE(at);
  if (told === NONE) return null;
  return { additions: rows.readUInt32BE(at + 4), deletions: rows.readUInt32BE(at + 8), isPart: told !== WHOLE };
}
