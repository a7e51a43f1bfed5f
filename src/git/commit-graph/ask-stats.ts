import { availableParallelism } from 'node:os';
import { SERVER } from '../../core/fair-slots.ts';
import { type DiffCommand, DiffProcess } from '../diff-process.ts';
import { GitError } from '../git.errors.ts';
import { acquireSlot } from '../git.process.ts';
import type { DiffStats } from '../line-diff/line-diff.ts';
import { MAX_STATS_LINE, ShortStats, STATS_CPU_MS } from '../short-stats.ts';
import type { GraphLayer } from './commit-graph.layer.ts';

/** So many commits are asked for together. */
const GROUP = 32;
/** Milliseconds of a processor for such a group: where it takes more each is asked for by itself. */
const GROUP_MS = 20_000;
/** How git ends over a commit that it cannot answer for. */
const NO_ANSWER: ReadonlySet<string> = new Set(['failed', 'output_too_large', 'timeout']);

/** Is told of a commit, by its place; null where git gave no answer. */
export type OnStats = (index: number, stats: DiffStats | null) => void;

/** As many processes count for one repository: half a machine that has nothing else to do would be left idle by one. */
const PROCESSES = Math.min(2, availableParallelism());

/** What git is asked with. */
export interface Questions {
  dir: string;
  /** Prints the lines of the commits that it reads. */
  command: DiffCommand;
  layer: GraphLayer;
  /** Of the commits in the layer. */
  places: readonly number[];
  /** By `performance.now`: groups that are not begun by then are left out, all but the first. */
  until: number;
  /** Ends it, together with git. */
  signal: AbortSignal | undefined;
}

/**
 * Asks git in the background for the lines of commits, in about their order.
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
  // All have ended before one's failure is told.
  const ends = await Promise.allSettled(Array.from({ length: PROCESSES }, count));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Git, started anew where it ended. */
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

  /** Asks for the commits of a group together, for each by itself where that fails: then for so long as there is time, at least for one. */
  async askGroup(layer: GraphLayer, places: readonly number[], onStats: OnStats, isOver: () => boolean): Promise<void> {
    const oids = places.map((index) => layer.oid(index));
    const found = await this.ask(oids, GROUP_MS);
    for (const [nth, oid] of oids.entries()) {
      const stats = found === null ? (await this.ask([oid], STATS_CPU_MS))?.get(oid) : found.get(oid);
      onStats(places[nth]!, stats ?? null);
      if (found === null && isOver()) return;
    }
  }

  /** What git says of some commits, without those that it cannot read; null where it ends over one of them, or takes too long. */
  async ask(lines: readonly string[], cpuMs: number): Promise<Map<string, DiffStats> | null> {
    const printed = new ShortStats();
    const onLine = (bytes: Buffer, start: number, end: number) => printed.take(bytes.toString('latin1', start, end));
    try {
      this.#process ??= new DiffProcess(this.#dir, this.#command, () => {});
      await this.#process.ask({ lines, onLine, maxRecord: MAX_STATS_LINE, cpuMs, signal: this.#signal });
      return printed.found;
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
