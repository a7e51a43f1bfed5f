import type { DiffStats } from './line-diff/line-diff.ts';

/** Milliseconds of a processor that one question may take. */
export const STATS_CPU_MS = 30_000;

/** Bytes of one line of it that are looked at. */
export const MAX_STATS_LINE = 1_000;

const OID = /^[0-9a-f]{40,64}$/;
const ADDITIONS = /(\d+) insertion/;
const DELETIONS = /(\d+) deletion/;
const NONE: DiffStats = Object.freeze({ additions: 0, deletions: 0 });

/** Reads what git prints for `STATS_COMMAND`: the id of each commit that it could read, then its size, unless nothing differs. */
export class ShortStats {
  readonly found: Map<string, DiffStats> = new Map();
  #current = '';

  /** Takes the next line, without its line feed. */
  take(line: string): void {
    if (OID.test(line)) {
      this.#current = line;
      this.found.set(line, NONE);
    } else if (line !== '') {
      const additions = Number(ADDITIONS.exec(line)?.[1] ?? 0);
      const deletions = Number(DELETIONS.exec(line)?.[1] ?? 0);
      this.found.set(this.#current, { additions, deletions });
    }
  }
}
