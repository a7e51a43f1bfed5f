/** Results for the commits of one layer, in shared memory. */
export interface Tally {
  /** Flags of each commit, such as `REQUESTED`. */
  states: Uint8Array;
  /** For each commit: added and removed lines of changed files, then lines of added and of removed files. */
  lines: Uint32Array;
}

export const REQUESTED = 1;
/** Git must be asked for the whole commit. */
export const LEFT_TO_GIT = 2;
/** Files were added and others removed, which may be renames. */
export const ADDED = 4;
export const REMOVED = 8;

const CHANGED = 0;
const ADDED_AND_REMOVED = 2;
const MAX = 2 ** 32;

export function newTally(commits: number): Tally {
  return {
    states: new Uint8Array(new SharedArrayBuffer(commits)),
    lines: new Uint32Array(new SharedArrayBuffer(16 * commits)),
  };
}

/** Adds the lines of a file that a commit changes, adds or removes. Safe for concurrent use. */
export function addLines(
  { states, lines }: Tally,
  index: number,
  additions: number,
  deletions: number,
  which: 0 | typeof ADDED | typeof REMOVED,
): void {
  const at = 4 * index + (which === 0 ? CHANGED : ADDED_AND_REMOVED);
  const sum = Atomics.add(lines, at, additions) + additions;
  const otherSum = Atomics.add(lines, at + 1, deletions) + deletions;
  Atomics.or(states, index, which | (sum >= MAX || otherSum >= MAX ? LEFT_TO_GIT : 0));
}

/** Kinds of results: all lines of the commit; lines of changed files only; none. */
export const [WHOLE, PART, NONE] = [0, 1, 2];
export const ROW_BYTES = 12;
/** Size of the trailer with the processor time in milliseconds. */
export const TIME_BYTES = 4;

/**
 * Writes the results of commits and resets them: kind, lines added and removed, 4 bytes each.
 * @param ms processor time
 */
export function takeRows({ states, lines }: Tally, places: readonly number[], ms: number): Buffer {
  const rows = Buffer.alloc(ROW_BYTES * places.length + TIME_BYTES);
  rows.writeUInt32BE(Math.round(ms), ROW_BYTES * places.length);
  for (const [nth, index] of places.entries()) {
    const state = states[index]!;
    const isPart = (state & ADDED) !== 0 && (state & REMOVED) !== 0;
    const [added, removed, came, went] = lines.subarray(4 * index, 4 * index + 4);
    const additions = added! + (isPart ? 0 : came!);
    const deletions = removed! + (isPart ? 0 : went!);
    const isLeft = (state & LEFT_TO_GIT) !== 0 || additions >= MAX || deletions >= MAX;
    const at = ROW_BYTES * nth;
    rows.writeUInt32BE(isLeft ? NONE : isPart ? PART : WHOLE, at);
    rows.writeUInt32BE(isLeft ? 0 : additions, at + 4);
    rows.writeUInt32BE(isLeft ? 0 : deletions, at + 8);
    states[index] = 0;
    lines.fill(0, 4 * index, 4 * index + 4);
  }
  return rows;
}
