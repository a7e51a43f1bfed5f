import { type LinePair, type Lines, MAX_LINES } from './line-diff.lines.ts';

/** Above this total number of compared lines git uses further heuristics. */
const MAX_COMPARED = 65_000;

/** Parts of a content's lines required for a comparison. */
type Side = Pick<Lines, 'count' | 'kinds' | 'changed'>;
/** Two contents with lines to compare. */
export type ComparedPair = Pick<LinePair, 'same' | 'sameEnd' | 'timesBefore' | 'timesAfter'> & {
  before: Side;
  after: Side;
};

/**
 * A line counts as common if it occurs in the other content at least this often, or the square root of the number of
 * lines.
 */
const MAX_COMMON_LINE_COUNT = 1_024;
/** Git skips a common line among missing lines, if most of the next hundred lines on each side are missing. */
const LOOKED_AROUND = 100;
const MISSING_SHARE = 4;
const [MISSING, PAIRED, ONE_OF_MANY] = [0, 1, 2];
/** If this many edits do not meet, git stops searching for the minimal edit script. */
const MAX_EDITS = 256;
/** Maximum number of steps for one answer: some milliseconds. */
const MAX_STEPS = 1_000_000;
const FAR = 0x7fffffff;

/** Remaining work allowed for one answer. */
export class DiffBudget {
  #left: number;

  /** @param steps maximum number of steps; the default suits a waiting client */
  constructor(steps: number = MAX_STEPS) {
    this.#left = steps;
  }

  /** Spends steps. @returns whether enough were left */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}

/** A position in both contents: offset in the first one, and sum of both offsets. */
interface Place {
  at: number;
  sum: number;
}

/** The compared lines of one content, with their kinds. */
interface Compared {
  changed: Uint8Array;
  lines: Int32Array;
  kinds: Int32Array;
}

const someCompared = (lines: number): Compared => ({
  changed: new Uint8Array(0),
  lines: new Int32Array(lines),
  kinds: new Int32Array(lines),
});

class Comparison {
  /** Capacity in lines. */
  readonly lines: number;
  readonly classes: Uint8Array;
  readonly one: Compared;
  readonly other: Compared;
  /** By diagonal: furthest reaching positions in the first content, from the start and from the end. */
  readonly forth: Int32Array;
  readonly back: Int32Array;
  /** Index of diagonal 0 in the arrays. */
  readonly zero: number;
  effort: DiffBudget = new DiffBudget();
  /** Position of the last split. */
  at = 0;
  otherAt = 0;
  /** Whether the parts before and after it require a minimal edit script, whatever its length. */
  fewestBefore = true;
  fewestBehind = true;

  constructor(lines: number) {
    this.lines = lines;
    this.classes = new Uint8Array(lines);
    this.one = someCompared(lines);
    this.other = someCompared(lines);
    this.zero = lines + 2;
    this.forth = new Int32Array(2 * lines + 5);
    this.back = new Int32Array(2 * lines + 5);
  }
}

let memory: Comparison | undefined;

/**
 * Finds the changed lines of two contents with git's `myers` algorithm (Myers 1986, linear space) and marks them in
 * `changed`.
 * @returns false if the budget is exceeded
 */
export function findChanges(pair: ComparedPair, budget: DiffBudget): boolean {
  const { before, after, same, sameEnd } = pair;
  const [end, otherEnd] = [before.count - sameEnd, after.count - sameEnd];
  if (same === end || same === otherEnd) {
    before.changed.fill(1, same, end);
    after.changed.fill(1, same, otherEnd);
    return true;
  }
  const lines = Math.max(end, otherEnd);
  if (memory === undefined || memory.lines < lines) memory = new Comparison(Math.max(lines, MAX_LINES));
  memory.effort = budget;
  const length = choose(memory, before, same, end, pair.timesAfter, memory.one);
  const otherLength = choose(memory, after, same, otherEnd, pair.timesBefore, memory.other);
  if (length + otherLength > MAX_COMPARED) return false;
  return budget.spend(0) && compare(memory, 0, length, 0, otherLength, false);
}

/** Git's threshold for common lines: the square root, approximated by a power of two. */
function manyOf(lines: number): number {
  let many = 1;
  for (let left = lines; left > 0; left >>= 2) many <<= 1;
  return Math.min(many, MAX_COMMON_LINE_COUNT);
}

/**
 * Selects the lines to compare. The others are marked as changed: they are missing in the other content, or too common
 * there.
 * @param times occurrences of each kind in the other content
 * @returns number of selected lines
 */
function choose(
  { classes, effort: budget }: Comparison,
  { count, kinds, changed }: Side,
  from: number,
  to: number,
  times: Int32Array,
  chosen: Compared,
): number {
  const many = manyOf(count);
  for (let at = from; at < to; at += 1) {
    const number = times[kinds[at]!]!;
    classes[at] = number === 0 ? MISSING : number >= many ? ONE_OF_MANY : PAIRED;
  }
  chosen.changed = changed;
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const is = classes[at];
    if (is === MISSING || (is === ONE_OF_MANY && budget.spend(LOOKED_AROUND) && isPassedOver(classes, at, from, to))) {
      changed[at] = 1;
    } else {
      chosen.lines[length] = at;
      chosen.kinds[length] = kinds[at]!;
      length += 1;
    }
  }
  return length;
}

/** Whether a common line is in a run of common and missing lines, with enough missing lines on both sides. */
function isPassedOver(classes: Uint8Array, at: number, from: number, to: number): boolean {
  const first = Math.max(from, at - LOOKED_AROUND);
  const last = Math.min(to - 1, at + LOOKED_AROUND);
  let missing = 0;
  let many = 1;
  let n = at - 1;
  for (; n >= first && classes[n] !== PAIRED; n -= 1) {
    if (classes[n] === MISSING) missing += 1;
    else many += 1;
  }
  if (missing === 0) return false;
  const above = missing;
  many += 1;
  for (n = at + 1; n <= last && classes[n] !== PAIRED; n += 1) {
    if (classes[n] === MISSING) missing += 1;
    else many += 1;
  }
  return missing > above && many * MISSING_SHARE < many + missing;
}

/** Compares the selected lines from `from` to `to` with those of the other content. */
function compare(
  memory: Comparison,
  from: number,
  to: number,
  otherFrom: number,
  otherTo: number,
  wantsFewest: boolean,
): boolean {
  const { one, other } = memory;
  let [start, end, otherStart, otherEnd] = [from, to, otherFrom, otherTo];
  while (start < end && otherStart < otherEnd && one.kinds[start] === other.kinds[otherStart]) {
    start += 1;
    otherStart += 1;
  }
  while (start < end && otherStart < otherEnd && one.kinds[end - 1] === other.kinds[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  if (start === end || otherStart === otherEnd) {
    for (let n = start; n < end; n += 1) one.changed[one.lines[n]!] = 1;
    for (let n = otherStart; n < otherEnd; n += 1) other.changed[other.lines[n]!] = 1;
    return true;
  }
  if (!split(memory, start, end, otherStart, otherEnd, wantsFewest)) return false;
  const { at, otherAt, fewestBefore, fewestBehind } = memory;
  return (
    compare(memory, start, at, otherStart, otherAt, fewestBefore) &&
    compare(memory, at, end, otherAt, otherEnd, fewestBehind)
  );
}

function take(memory: Comparison, at: number, otherAt: number): true {
  memory.at = at;
  memory.otherAt = otherAt;
  memory.fewestBefore = true;
  memory.fewestBehind = true;
  return true;
}

/**
 * Finds a split position on the minimal edit script, or after too many edits a heuristic one like git's, and records
 * it.
 */
function split(
  memory: Comparison,
  start: number,
  end: number,
  otherStart: number,
  otherEnd: number,
  wantsFewest: boolean,
): boolean {
  const { forth, back, zero } = memory;
  const one = memory.one.kinds;
  const other = memory.other.kinds;
  const [lowest, highest] = [start - otherEnd, end - otherStart];
  const [forthFrom, backFrom] = [start - otherStart, end - otherEnd];
  const meetsForth = ((forthFrom - backFrom) & 1) !== 0;
  let [low, high, backLow, backHigh] = [forthFrom, forthFrom, backFrom, backFrom];
  forth[zero + forthFrom] = start;
  back[zero + backFrom] = end;
  for (let edits = 1; ; edits += 1) {
    let steps = 0;
    if (low > lowest) {
      low -= 1;
      forth[zero + low - 1] = -1;
    } else low += 1;
    if (high < highest) {
      high += 1;
      forth[zero + high + 1] = -1;
    } else high -= 1;
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const place = zero + diagonal;
      const [left, right] = [forth[place - 1]!, forth[place + 1]!];
      let at = left >= right ? left + 1 : right;
      const first = at;
      while (at < end && at - diagonal < otherEnd && one[at] === other[at - diagonal]) at += 1;
      steps += at - first + 1;
      forth[place] = at;
      if (meetsForth && backLow <= diagonal && diagonal <= backHigh && back[place]! <= at) {
        return memory.effort.spend(steps) && take(memory, at, at - diagonal);
      }
    }
    if (backLow > lowest) {
      backLow -= 1;
      back[zero + backLow - 1] = FAR;
    } else backLow += 1;
    if (backHigh < highest) {
      backHigh += 1;
      back[zero + backHigh + 1] = FAR;
    } else backHigh -= 1;
    for (let diagonal = backHigh; diagonal >= backLow; diagonal -= 2) {
      const place = zero + diagonal;
      const [left, right] = [back[place - 1]!, back[place + 1]!];
      let at = left < right ? left : right - 1;
      const first = at;
      while (at > start && at - diagonal > otherStart && one[at - 1] === other[at - diagonal - 1]) at -= 1;
      steps += first - at + 1;
      back[place] = at;
      if (!meetsForth && low <= diagonal && diagonal <= high && at <= forth[place]!) {
        return memory.effort.spend(steps) && take(memory, at, at - diagonal);
      }
    }
    if (!memory.effort.spend(steps)) return false;
    if (edits < MAX_EDITS || wantsFewest) continue;
    const reached = farthest(memory, low, high, end, otherEnd);
    const left = nearest(memory, backLow, backHigh, start, otherStart);
    const isForth = end + otherEnd - left.sum < reached.sum - (start + otherStart);
    const { at, sum } = isForth ? reached : left;
    take(memory, at, sum - at);
    memory.fewestBefore = isForth;
    memory.fewestBehind = !isForth;
    return true;
  }
}

/** Furthest position reached from the start, over a range of diagonals. */
function farthest({ forth, zero }: Comparison, low: number, high: number, end: number, otherEnd: number): Place {
  let place: Place = { at: -1, sum: -1 };
  for (let diagonal = high; diagonal >= low; diagonal -= 2) {
    const at = Math.min(forth[zero + diagonal]!, end, otherEnd + diagonal);
    if (place.sum < 2 * at - diagonal) place = { at, sum: 2 * at - diagonal };
  }
  return place;
}

/** Furthest position reached from the end, over a range of diagonals. */
function nearest({ back, zero }: Comparison, low: number, high: number, start: number, otherStart: number): Place {
  let place: Place = { at: FAR, sum: FAR };
  for (let diagonal = high; diagonal >= low; diagonal -= 2) {
    const at = Math.max(back[zero + diagonal]!, start, otherStart + diagonal);
    if (2 * at - diagonal < place.sum) place = { at, sum: 2 * at - diagonal };
  }
  return place;
}
