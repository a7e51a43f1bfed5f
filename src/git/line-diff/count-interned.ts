import { type DiffBudget, findChanges } from './line-diff.changes.ts';
import type { DiffStats } from './line-diff.ts';

/** Contents with more differing lines are left to git. */
const MAX_LINES = 65_000;
/** Number of occurrences of each line; all 0 between calls, grown on demand. */
let timesBefore = new Int32Array(0);
let timesAfter = new Int32Array(0);
let changedBefore = new Uint8Array(0);
let changedAfter = new Uint8Array(0);

/**
 * Number of lines that `lineDiff` shows as added and removed between two contents.
 * @param before and `after` are their lines as numbered by `InternedLines`
 * @param numbers number of distinct lines
 * @returns null if git must be asked: too many lines differ
 */
export function countInterned(
  before: Int32Array,
  after: Int32Array,
  numbers: number,
  budget: DiffBudget,
): DiffStats | null {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same += 1;
  let [end, otherEnd] = [before.length, after.length];
  while (end > same && otherEnd > same && before[end - 1] === after[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  if (same === end || same === otherEnd) return { additions: otherEnd - same, deletions: end - same };
  if (end - same > MAX_LINES || otherEnd - same > MAX_LINES) return null;
  if (changedBefore.length < end - same) changedBefore = new Uint8Array(2 * (end - same));
  if (changedAfter.length < otherEnd - same) changedAfter = new Uint8Array(2 * (otherEnd - same));
  if (timesBefore.length < numbers) {
    timesBefore = new Int32Array(2 * numbers);
    timesAfter = new Int32Array(2 * numbers);
  }
  changedBefore.fill(0, 0, end - same);
  changedAfter.fill(0, 0, otherEnd - same);
  // Its lines are indexed from the first differing one, while counts cover whole contents.
  const pair = {
    before: { count: before.length, kinds: before.subarray(same, end), changed: changedBefore },
    after: { count: after.length, kinds: after.subarray(same, otherEnd), changed: changedAfter },
    same: 0,
    sameEnd: before.length - (end - same),
    timesBefore,
    timesAfter,
  };
  for (let at = 0; at < before.length; at += 1) timesBefore[before[at]!]! += 1;
  for (let at = 0; at < after.length; at += 1) timesAfter[after[at]!]! += 1;
  const isWithinBudget = findChanges(pair, budget);
  for (let at = 0; at < before.length; at += 1) timesBefore[before[at]!] = 0;
  for (let at = 0; at < after.length; at += 1) timesAfter[after[at]!] = 0;
  if (!isWithinBudget) return null;
  return { additions: sumOf(changedAfter, otherEnd - same), deletions: sumOf(changedBefore, end - same) };
}

function sumOf(changed: Uint8Array, end: number): number {
  let sum = 0;
  for (let at = 0; at < end; at += 1) sum += changed[at]!;
  return sum;
}
