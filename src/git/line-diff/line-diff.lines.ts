import { diffWindow } from './diff-window.ts';
import { isSame, lineEnd, lineHash, viewOf } from './line-sum.ts';

/** Contents with more lines are left to git. */
export const MAX_LINES = 20_000;

/** Size of the hash table, twice the maximum number of entries, and size for a short content. */
const MAX_PLACES = 128 * 1024;
const LEAST_PLACES = 1_024;
const NO_VIEW = new DataView(new ArrayBuffer(0));
/** Maximum ratio of failed probes to lines; more indicate an adversarial content. */
const MAX_PROBES = 4;

/** Lines of a content, in memory that the next comparison reuses. */
export interface Lines {
  data: Buffer;
  /** Number of lines. */
  count: number;
  /** Start of each line, followed by the end of the last one. */
  starts: Int32Array;
  /** Number of each line, the same for equal lines. A line without a line feed differs from one with it. */
  kinds: Int32Array;
  /** 1 for each changed line, followed by a 0. */
  changed: Uint8Array;
  /** Indentation of each line in columns, or `UNKNOWN` until requested (`indentOf`). */
  indents: Int16Array;
}

/** An indentation that is not computed yet. */
export const UNKNOWN = -2;

/** The lines of two contents, with the numbers of common lines at the start and the end. */
export interface LinePair {
  before: Lines;
  after: Lines;
  same: number;
  sameEnd: number;
  /** Number of lines of each kind. */
  timesBefore: Int32Array;
  timesAfter: Int32Array;
}

const someLines = (): Lines => ({
  data: Buffer.alloc(0),
  count: 0,
  starts: new Int32Array(MAX_LINES + 1),
  kinds: new Int32Array(MAX_LINES),
  changed: new Uint8Array(MAX_LINES + 2),
  indents: new Int16Array(MAX_LINES),
});

let memory: { pair: LinePair; kinds: LineKinds } | undefined;

/**
 * Splits two contents into lines. The result is valid until the next call.
 * @returns null if there are more than 20,000 lines, or the contents are adversarial
 */
export function linesOf(before: Buffer, after: Buffer): LinePair | null {
  memory ??= {
    pair: {
      before: someLines(),
      after: someLines(),
      same: 0,
      sameEnd: 0,
      timesBefore: new Int32Array(2 * MAX_LINES),
      timesAfter: new Int32Array(2 * MAX_LINES),
    },
    kinds: new LineKinds(),
  };
  const { pair, kinds } = memory;
  const [one, other] = [pair.before, pair.after];
  one.data = before;
  other.data = after;
  const { start, beforeEnd, afterEnd } = diffWindow(before, after);
  kinds.begin(before, after, before.length + afterEnd - start);
  if (!kinds.read(one, 0, 0, start, 0)) return null;
  const same = one.count;
  other.starts.set(one.starts.subarray(0, same));
  other.kinds.set(one.kinds.subarray(0, same));
  if (!kinds.read(one, same, start, beforeEnd, 0) || !kinds.read(other, same, start, afterEnd, 1)) return null;
  const [here, there] = [one.count, other.count];
  if (!kinds.read(one, here, beforeEnd, before.length, 0)) return null;
  const sameEnd = one.count - here;
  if (there + sameEnd > MAX_LINES) return null;
  const shift = afterEnd - beforeEnd;
  for (let n = 0; n < sameEnd; n += 1) {
    other.starts[there + n] = one.starts[here + n]! + shift;
    other.kinds[there + n] = one.kinds[here + n]!;
  }
  other.count = there + sameEnd;
  other.starts[other.count] = after.length;
  pair.same = same;
  pair.sameEnd = sameEnd;
  kinds.count(pair);
  for (const { changed, indents, count } of [one, other]) {
    changed.fill(0, 0, count + 1);
    indents.fill(UNKNOWN, 0, count);
  }
  return pair;
}

/** Assigns a kind to each distinct line, starting at 0. */
class LineKinds {
  /** Hash table of lines: kind plus one, 0 for an empty slot. */
  readonly #table = new Int32Array(MAX_PLACES);
  readonly #sums = new Int32Array(2 * MAX_LINES);
  /** First line of each kind: start, length, and 1 if it is in the second content. */
  readonly #starts = new Int32Array(2 * MAX_LINES);
  readonly #lengths = new Int32Array(2 * MAX_LINES);
  readonly #sides = new Uint8Array(2 * MAX_LINES);
  #views: readonly [DataView, DataView] = [NO_VIEW, NO_VIEW];
  #mask = 0;
  #probes = 0;
  #size = 0;

  /** Discards all lines. @param bytes total size of the contents to read */
  begin(before: Buffer, after: Buffer, bytes: number): void {
    this.#views = [viewOf(before), viewOf(after)];
    // Always exceeds the number of kinds: all but 258 lines have at least three bytes.
    let places = LEAST_PLACES;
    while (2 * places < bytes && places < MAX_PLACES) places *= 2;
    this.#mask = places - 1;
    this.#table.fill(0, 0, places);
    this.#probes = 0;
    this.#size = 0;
  }

  /**
   * Reads the lines of a range of a content, appended after the first `from` lines.
   * @returns false if there are too many lines, or the content is adversarial
   */
  read(lines: Lines, from: number, start: number, end: number, side: 0 | 1): boolean {
    const view = this.#views[side];
    const { starts, kinds } = lines;
    let number = from;
    for (let at = start; at < end; number += 1) {
      if (number === MAX_LINES || this.#probes > MAX_PROBES * this.#mask) return false;
      const lineStart = at;
      const sum = lineHash(view, at, end);
      at = lineEnd[0]!;
      starts[number] = lineStart;
      kinds[number] = this.#kindOf(side, lineStart, at - lineStart, sum);
    }
    starts[number] = end;
    lines.count = number;
    return true;
  }

  /** Counts the lines of each kind. */
  count({ before, after, timesBefore, timesAfter }: LinePair): void {
    timesBefore.fill(0, 0, this.#size);
    timesAfter.fill(0, 0, this.#size);
    for (let n = 0; n < before.count; n += 1) timesBefore[before.kinds[n]!]! += 1;
    for (let n = 0; n < after.count; n += 1) timesAfter[after.kinds[n]!]! += 1;
  }

  #kindOf(side: 0 | 1, start: number, length: number, sum: number): number {
    const mask = this.#mask;
    for (let place = sum & mask; ; place = (place + 1) & mask) {
      const kind = this.#table[place]! - 1;
      if (kind < 0) {
        const made = this.#size;
        this.#table[place] = made + 1;
        this.#sums[made] = sum;
        this.#starts[made] = start;
        this.#lengths[made] = length;
        this.#sides[made] = side;
        this.#size = made + 1;
        return made;
      }
      if (this.#sums[kind] === sum && this.#isKind(kind, side, start, length)) return kind;
      this.#probes += 1;
    }
  }

  #isKind(kind: number, side: 0 | 1, start: number, length: number): boolean {
    if (this.#lengths[kind] !== length) return false;
    return isSame(this.#views[this.#sides[kind] as 0 | 1], this.#starts[kind]!, this.#views[side], start, length);
  }
}
