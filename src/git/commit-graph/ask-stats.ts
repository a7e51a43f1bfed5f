import { availableParallelism } from 'node:os';
import { SERVER } from '../../core/fair-slots.ts';
import { GitError } from '../common/index.ts';
import type { DiffStats } from '../line-diff/index.ts';
import {
  acquireSlot,
  type DiffCommand,
  DiffProcess,
  MAX_STATS_LINE,
  ShortStats,
  STATS_CPU_MS,
} from '../process/index.ts';
import type { GraphLayer } from './commit-graph.layer.ts';

/** Number of commits per request to git. */
const GROUP = 32;
/** Processor time in milliseconds for one request. If it is exceeded, each commit is requested separately. */
const GROUP_MS = 20_000;
/** Errors of git that only mean that it has no answer for a commit. */
const NO_ANSWER: ReadonlySet<string> = new Set(['failed', 'output_too_large', 'timeout']);

/** Receives the line counts of the commit at an index; null if git gave no answer. */
export type OnStats = (index: number, stats: DiffStats | null) => void;

/** Number of git processes for one repository. A single one would leave half of an idle machine unused. */
const PROCESSES = Math.min(2, availableParallelism());

/** Work for git to count lines. */
export interface Questions {
  dir: string;
  /** The process that prints the lines of the commits it reads. */
  command: DiffCommand;
  layer: GraphLayer;
  /** Indexes of the commits in the layer. */
  places: readonly number[];
  /** Deadline by `performance.now`: requests that have not started by then are skipped, except the first. */
  until: number;
  /** Aborts the work and git. */
  signal: AbortSignal | undefined;
}

/**
 * Asks git, at low priority, for the line counts of commits, roughly in the given order.
 * @throws GitError `aborted`, `busy`, `denied`, `corrupt`
 */
export async function askForStats(
  { dir, command, layer, places, until, signal }: Questions,
  onStats: OnStats,
): Promise<void> {
  let next = 0;
  const isOver = () => performance.now() > until;
  const count = async (): Promise<void> => {
    const leave = await acquireSlot('command', SERVER, signal);
    const asking = new Asking(dir, command, signal);
    try {
      for (let at = next; at < places.length && (at === 0 || !isOver()); at = next) {
        next += GROUP;
        await asking.askGroup(layer, places.slice(at, at + GROUP), onStats, isOver);
      }
    } finally {
      asking.end();
      leave();
    }
  };
  // All processes must end before a failure is thrown.
  const ends = await Promise.allSettled(Array.from({ length: PROCESSES }, count));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A git process that is restarted when it exits. */
class Asking {
  readonly #dir: string;
  readonly #command: DiffCommand;
  readonly #signal: AbortSignal | undefined;
  #process: DiffProcess | null = null;

  constructor(dir: string, command: DiffCommand, signal: AbortSignal | undefined) {
    this.#dir = dir;
    this.#command = command;
    this.#signal = signal;
  }

  /**
   * Requests the commits of a group together, or separately if that fails: as long as time remains, and at least one.
   */
  async askGroup(layer: GraphLayer, places: readonly number[], onStats: OnStats, isOver: () => boolean): Promise<void> {
    const oids = places.map((index) => layer.oid(index));
    const answers = await this.ask(oids, GROUP_MS);
    for (const [nth, oid] of oids.entries()) {
      const stats = answers === null ? (await this.ask([oid], STATS_CPU_MS))?.get(oid) : answers.get(oid);
      onStats(places[nth]!, stats ?? null);
      if (answers === null && isOver()) return;
    }
  }

  /** Returns git's output by commit, without unreadable commits; null if git fails on one of them or takes too long. */
  async ask(lines: readonly string[], cpuMs: number): Promise<Map<string, DiffStats> | null> {
    const printed = new ShortStats();
    const onLine = (bytes: Buffer, start: number, end: number) => printed.take(bytes.toString('latin1', start, end));
    try {
      this.#process ??= new DiffProcess(this.#dir, this.#command, () => {});
      await this.#process.ask({ lines, onLine, maxRecord: MAX_STATS_LINE, cpuMs, signal: this.#signal });
      return printed.stats;
    } catch (error) {
      this.#process = null;
      if (error instanceof GitError && NO_ANSWER.has(error.code)) return null;
      throw error;
    }
  }

  end(): void {
    this.#process?.retire();
  }
}
