import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SERVER } from '../../../core/fair-slots.ts';
import { GitError } from '../../common/index.ts';
import type { DiffStats } from '../../line-diff/index.ts';
import {
  acquireSlot,
  type Child,
  CLOCK_FACTOR,
  killGroup,
  limitCpu,
  lowerPriority,
  NICE,
  startChild,
  whenStarted,
} from '../../process/index.ts';
import type { GraphLayer } from '../commit-graph.layer.ts';
import type { CommitGraph } from '../commit-graph.ts';
import type { Job, Slice } from './line-counter.messages.ts';
import { programAddress } from './line-counter.program.ts';
import { NONE, ROW_BYTES, TIME_BYTES, WHOLE } from './tally.ts';

/**
 * Approximate processor time of a slice in milliseconds, and its limit. Versions at slice boundaries are read twice, so
 * short slices would cost half as much again.
 */
const SLICE_MS = 15_000;
const SLICE_LIMIT_MS = 600_000;
/** Minimum number of commits in a slice. */
const LEAST = 1_000;
/** Number of threads for one repository. A single one would leave half of an idle machine unused. */
const THREADS = Math.min(2, availableParallelism());
/** Below this number of commits a single thread is used: starting another takes longer. */
const MANY_COMMITS = 10_000;
const FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=2', '--single-threaded-gc'];
/** Makes the allocator return free memory of all threads to the system (`bin/allocator.js`). */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '4194304' };

/** The folder of compiled code, if the environment of this process names one. */
const COMPILE_CACHE: Readonly<Record<string, string>> = process.env.NODE_COMPILE_CACHE
  ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
  : {};

/** Lines that a commit adds and removes. */
export interface Counted extends DiffStats {
  /** Whether added and removed files are not included, since they may be renames. */
  isPart: boolean;
}

/** Whether the path indexes of a layer and of all lower layers are complete, so that lines can be counted with them. */
export function canCount({ layers }: CommitGraph, layer: GraphLayer): boolean {
  const below = layers.slice(0, layers.indexOf(layer) + 1);
  const salt = layer.pathIndex?.salt;
  return below.every(
    ({ pathIndex }) => pathIndex?.isTooMuch === false && salt !== undefined && pathIndex.salt.equals(salt),
  );
}

/** A process that counts lines of commits path by path, so that each version of a file is read once. */
export class LineCounter {
  /** The layer whose commits it counts. */
  readonly layer: GraphLayer;
  /** Maximum number of commits for one call: some seconds of processor time. */
  maxCommits: number;
  readonly #child: Child;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #ended = false;
  #wake: () => void = () => {};

  private constructor(layer: GraphLayer, child: Child, maxCommits: number) {
    this.layer = layer;
    this.maxCommits = maxCommits;
    this.#child = child;
    const end = () => {
      this.#ended = true;
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

  /**
   * Starts a process for a layer for which `canCount` holds.
   * @param maxCommits number of commits for the first call
   * @returns null if it cannot be started
   */
  static async start(dir: string, layer: GraphLayer, maxCommits: number): Promise<LineCounter | null> {
    try {
      const child = startChild({
        command: process.execPath,
        args: [...FLAGS, fileURLToPath(programAddress)],
        cwd: '/',
        env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, ...ENVIRONMENT },
        pipes: 3,
      });
      const counter = new LineCounter(layer, child, maxCommits);
      await whenStarted(child);
      lowerPriority(child, NICE.background);
      counter.#tell({ dir, sum: layer.sum.toString('hex'), threads: layer.count < MANY_COMMITS ? 1 : THREADS });
      return counter;
    } catch {
      // The system cannot start another process.
      return null;
    }
  }

  /** Whether it accepts no more calls. */
  get ended(): boolean {
    return this.#ended;
  }

  #tell(message: Job | Slice): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Counts lines of commits of the layer.
   * @param signal aborts it and ends the process
   * @returns for each commit its counts, or null if git must be asked; null if the process has ended
   * @throws GitError `busy`, `aborted`
   */
  async count(places: readonly number[], signal: AbortSignal | undefined): Promise<(Counted | null)[] | null> {
    const leave = await acquireSlot('command', SERVER, signal);
    const stop = () => this.kill();
    const limits = { cpuMs: SLICE_LIMIT_MS, timeoutMs: CLOCK_FACTOR * SLICE_LIMIT_MS, isLongRunning: true };
    const unlimit = limitCpu(() => this.#child.pid, limits, stop);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      if (signal?.aborted) stop();
      else this.#tell({ places });
      const expectedBytes = ROW_BYTES * places.length + TIME_BYTES;
      while (this.#length < expectedBytes && !this.#ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
      if (signal?.aborted) throw new GitError('aborted', 'line counting has stopped');
      const rows = Buffer.concat(this.#chunks.splice(0));
      this.#length = 0;
      if (rows.length !== expectedBytes) return null;
      const taken = Math.max(1, rows.readUInt32BE(ROW_BYTES * places.length));
      this.maxCommits = Math.max(LEAST, Math.round((places.length * SLICE_MS) / taken));
      return places.map((_, nth) => rowAt(rows, nth * ROW_BYTES));
    } finally {
      unlimit();
      signal?.removeEventListener('abort', stop);
      leave();
    }
  }

  /** Kills the process. */
  kill(): void {
    this.#ended = true;
    killGroup(this.#child);
  }
}

function rowAt(rows: Buffer, at: number): Counted | null {
  const kind = rows.readUInt32BE(at);
  if (kind === NONE) return null;
  return { additions: rows.readUInt32BE(at + 4), deletions: rows.readUInt32BE(at + 8), isPart: kind !== WHOLE };
}
