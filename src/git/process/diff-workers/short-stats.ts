import type { DiffStats } from '../../line-diff/index.ts';

/** Processor time of one question in milliseconds. */
export const STATS_CPU_MS = 30_000;

/** Maximum number of bytes examined in a line. */
export const MAX_STATS_LINE = 1_000;

const OID = /^[0-9a-f]{40,64}$/;
const ADDITIONS = /(\d+) insertion/;
const DELETIONS = /(\d+) deletion/;
const NONE: DiffStats = Object.freeze({ additions: 0, deletions: 0 });

/** Parses the output of `STATS_COMMAND`: the id of each readable commit, then its counts, unless nothing differs. */
export class ShortStats {
  readonly stats: Map<string, DiffStats> = new Map();
  #current = '';

  /** Parses the next line, without its line feed. */
  take(line: string): void {
    if (OID.test(line)) {
      this.#current = line;
      this.stats.set(line, NONE);
    } else if (line !== '') {
      const additions = Number(ADDITIONS.exec(line)?.[1] ?? 0);
      const deletions = Number(DELETIONS.exec(line)?.[1] ?? 0);
      this.stats.set(this.#current, { additions, deletions });
    }
  }
}
