import { changedPart } from './changed-part.ts';

/** Lines added and removed; binary files count for nothing. */
export interface DiffStats {
  additions: number;
  deletions: number;
}

const LINE_FEED = 10;
/** Lines that differ at most, and those between the first and the last that does. */
const MAX_EDITS = 200;
const MAX_LINES = 4_000;
/**
 * git passes over a line that the other file has many times where lines that it does not have stand above and below it, seven or
 * more among the next hundred.
 */
const MANY_AROUND = 6;
const LOOKED_AROUND = 100;
/** So many times are many in a file of any length. */
const MOST_MANY = 1_024;

/**
 * The lines that git's diff counts between two contents, where it finds the fewest there can be: then how it goes about it, and
 * which of several equal lines it pairs, makes no difference. It may find more where more than 256 lines differ, and where it passes
 * over lines that the other file has many times.
 * @returns null where git may count others
 */
export function countLines(before: Buffer, after: Buffer): DiffStats | null {
  const part = changedPart(before, after);
  const old = linesOf(before, part.start, part.beforeEnd);
  const now = linesOf(after, part.start, part.afterEnd);
  if (old.length === 0 || now.length === 0) return { additions: now.length, deletions: old.length };
  if (old.length > MAX_LINES || now.length > MAX_LINES) return null;
  const [inOld, inNow] = [new Set(old), new Set(now)];
  const [oldPaired, nowPaired] = [old.filter((line) => inNow.has(line)), now.filter((line) => inOld.has(line))];
  const common = inCommon(oldPaired, nowPaired, MAX_EDITS);
  if (common === null) return null;
  const oldSure = surelyLookedAt(old, inNow, after, part.start);
  const nowSure = surelyLookedAt(now, inOld, before, part.start);
  // Whichever of the others it looks at, it finds as many.
  const isSure = oldSure.length === oldPaired.length && nowSure.length === nowPaired.length;
  if (!isSure && inCommon(oldSure, nowSure, MAX_EDITS) !== common) return null;
  return { additions: now.length - common, deletions: old.length - common };
}

/** Without their line feeds; a last line that has none gets one, since it is another line. */
function linesOf(content: Buffer, start: number, end: number): string[] {
  const lines = content.toString('latin1', start, end).split('\n');
  const last = lines.pop();
  if (last !== '') lines.push(`${last}\n`);
  return lines;
}

/**
 * Those of the lines between the first and the last that differ which the other content has there, too, but for what git may pass over
 * since the other content has it many times.
 */
function surelyLookedAt(
  lines: readonly string[],
  there: ReadonlySet<string>,
  other: Buffer,
  start: number,
): readonly string[] {
  let many = 0;
  const isMany = (line: string): boolean => {
    if (many === 0) {
      countAll(other);
      many = manyOf(lines.length + linesBefore(other, start));
    }
    return timesAtMost(line) >= many;
  };
  /** Lines from one on that the other content does not have, until one that it has a few times. */
  const missing = (from: number, step: number): number => {
    let count = 0;
    for (let at = from + step; at >= 0 && at < lines.length && Math.abs(at - from) <= LOOKED_AROUND; at += step) {
      if (!there.has(lines[at]!)) count += 1;
      else if (!isMany(lines[at]!)) break;
      if (count === MANY_AROUND) break;
    }
    return count;
  };
  return lines.filter((line, at) => {
    if (!there.has(line)) return false;
    const above = missing(at, -1);
    const below = above === 0 ? 0 : missing(at, 1);
    return below === 0 || above + below < MANY_AROUND || !isMany(line);
  });
}

/** From how many on git takes them for many in a file of so many lines, or a longer one: the root, to a power of two. */
function manyOf(lines: number): number {
  let many = 1;
  for (let left = lines; left > 0; left >>= 2) many <<= 1;
  return Math.min(many, MOST_MANY);
}

function linesBefore(content: Buffer, end: number): number {
  let lines = 0;
  for (let at = 0; at < end; at = content.indexOf(LINE_FEED, at) + 1) lines += 1;
  return lines;
}

/** How often lines are in a content, by their sums: several may have the same, and are counted together. */
const times = new Uint32Array(16 * 1024);
const placeOf = (sum: number): number => (sum ^ (sum >>> 15)) & (times.length - 1);

function countAll(content: Buffer): void {
  times.fill(0);
  let sum = 0;
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at]!;
    if (byte === LINE_FEED) {
      times[placeOf(sum)]! += 1;
      sum = 0;
    } else sum = (Math.imul(sum, 31) + byte) | 0;
  }
  times[placeOf(sum)]! += 1;
}

function timesAtMost(line: string): number {
  let sum = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line.charCodeAt(at);
    if (byte !== LINE_FEED) sum = (Math.imul(sum, 31) + byte) | 0;
  }
  return times[placeOf(sum)]!;
}

/**
 * How many lines the longest sequence has that both have in common (Myers 1986, the greedy algorithm).
 * @returns null where more than `most` others are left over
 */
function inCommon(one: readonly string[], other: readonly string[], most: number): number | null {
  const [length, otherLength] = [one.length, other.length];
  if (Math.abs(length - otherLength) > most) return null;
  /** By diagonal: how far `one` is reached. */
  const reached = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let edits = 0; edits <= most; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [left, right] = [reached[middle + diagonal - 1]!, reached[middle + diagonal + 1]!];
      let at = diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1;
      while (at < length && at - diagonal < otherLength && one[at] === other[at - diagonal]) at += 1;
      reached[middle + diagonal] = at;
      if (at >= length && at - diagonal >= otherLength) return (length + otherLength - edits) / 2;
    }
  }
  return null;
}
