/** What is found of commits of one layer, by their places, in memory that threads share. */
export interface Tally {
  /** `WANTED` and others, together. */
  states: Uint8Array;
  /** For each commit added and removed lines of files that it has changed, then lines of files that came and of those that went. */
  lines: Uint32Array;
}

export const WANTED = 1;
/** Git is to be asked for all. */
export const LEFT = 2;
/** Files came, files went: together they may be renamed ones. */
export const CAME = 4;
export const WENT = 8;

const CHANGED = 0;
const CAME_AND_WENT = 2;
const MAX = 2 ** 32;

export function newTally(commits: number): Tally {
  return {
    states: new Uint8Array(new SharedArrayBuffer(commits)),
    lines: new Uint32Array(new SharedArrayBuffer(16 * commits)),
  };
}

/** Adds lines of a file that a commit has before and after, or only before, or only after. Others may do so at once. */
export function addLines(
  { states, lines }: Tally,
  index: number,
  additions: number,
  deletions: number,
  which: 0 | typeof CAME | typeof WENT,
): void {
  const at = 4 * index + (which === 0 ? CHANGED : CAME_AND_WENT);
  const sum = Atomics.add(lines, at, additions) + additions;
  const otherSum = Atomics.add(lines, at + 1, deletions) + deletions;
  Atomics.or(states, index, which | (sum >= MAX || otherSum >= MAX ? LEFT : 0));
}

/** What is told of a commit: all of its lines; those of files that it has changed, without such as came or went; nothing. */
export const [WHOLE, PART, NONE] = [0, 1, 2];
export const ROW_BYTES = 12;
/** Behind all rows: milliseconds of a processor that they took. */
export const TIME_BYTES = 4;

/** Writes what was found of commits, and wants them no more: what is told, and lines added and removed, 4 bytes each. @param ms they took */
export function takeRows({ states, lines }: Tally, places: readonly number[], ms: number): Buffer {
  const rows = Buffer.alloc(ROW_BYTES * places.length + TIME_BYTES);
  rows.writeUInt32BE(Math.round(ms), ROW_BYTES * places.length);
  for (const [nth, index] of places.entries()) {
    const state = states[index]!;
    const isPart = (state & CAME) !== 0 && (state & WENT) !== 0;
    const [added, removed, came, went] = lines.subarray(4 * index, 4 * index + 4);
    const additions = added! + (isPart ? 0 : came!);
    const deletions = removed! + (isPart ? 0 : went!);
    const isLeft = (state & LEFT) !== 0 || additions >= MAX || deletions >= MAX;
    const at = ROW_BYTES * nth;
    rows.writeUInt32BE(isLeft ? NONE : isPart ? PART : WHOLE, at);
    rows.writeUInt32BE(isLeft ? 0 : additions, at + 4);
    rows.writeUInt32BE(isLeft ? 0 : deletions, at + 8);
    states[index] = 0;
    lines.fill(0, 4 * index, 4 * index + 4);
  }
  return rows;
}
