/** Part of a text: offsets of its begin and its end. */
export type Range = readonly [from: number, to: number];

export interface ChangedWords {
  before: Range[];
  after: Range[];
  /** Pairs of words that were compared. */
  pairs: number;
}

/** Limits of lines that are compared by words. */
const MAX = { length: 2_000, words: 400 };
/** Part of the longer line that must be the same: marks all over help nobody. */
const MIN_SAME = 0.3;
const WORD = /[\p{L}\p{N}_]+|\s+|./gsu;

/**
 * Parts by which a line differs from the one that replaces it. None where the lines are too long, too different, or the same.
 * @param maxPairs pairs of words that may be compared
 */
export function changedWords(before: string, after: string, maxPairs: number): ChangedWords {
  const none = { before: [], after: [], pairs: 1 };
  if (before === after || before.length > MAX.length || after.length > MAX.length) return none;
  const [one, other] = [before.match(WORD) ?? [], after.match(WORD) ?? []];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const inner = one.slice(start, one.length - end);
  const otherInner = other.slice(start, other.length - end);
  const pairs = inner.length * otherInner.length;
  if (Math.max(inner.length, otherInner.length) > MAX.words || pairs > maxPairs) return none;
  const same = commonWords(inner, otherInner);
  const result = {
    before: rangesOf(one, start, inner.length, same.one),
    after: rangesOf(other, start, otherInner.length, same.other),
    pairs: pairs + 1,
  };
  const changed = Math.max(lengthOf(result.before), lengthOf(result.after));
  return changed > (1 - MIN_SAME) * Math.max(before.length, after.length) ? { ...none, pairs: pairs + 1 } : result;
}

const lengthOf = (ranges: readonly Range[]) => ranges.reduce((sum, [from, to]) => sum + to - from, 0);

/** Which words of two lists belong to the longest common part of both. */
function commonWords(one: readonly string[], other: readonly string[]): { one: Set<number>; other: Set<number> } {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        one[i] === other[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const same = { one: new Set<number>(), other: new Set<number>() };
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) {
      same.one.add(i++);
      same.other.add(j++);
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return same;
}

/** Parts of a line of the words from `start` on that are not the same. */
function rangesOf(words: readonly string[], start: number, count: number, same: ReadonlySet<number>): Range[] {
  const ranges: [number, number][] = [];
  let at = words.slice(0, start).join('').length;
  for (let i = 0; i < count; i += 1) {
    const end = at + words[start + i]!.length;
    const last = ranges.at(-1);
    if (!same.has(i)) {
      if (last?.[1] === at) last[1] = end;
      else ranges.push([at, end]);
    }
    at = end;
  }
  return ranges;
}
