import { type Hunks, hunksOf } from './hunks.ts';
import { type DiffBudget, findChanges } from './line-diff.changes.ts';
import { type Lines, linesOf } from './line-diff.lines.ts';
import { slideChanges } from './slide.ts';

/**
 * Diff of two contents in the format of `git diff` with three context lines.
 * @param budget shared by all comparisons of one answer
 * @returns null if git must be asked: the contents are long, or too many lines differ
 */
export function lineDiff(before: Buffer, after: Buffer, budget: DiffBudget): Hunks | null {
  const pair = linesOf(before, after);
  if (pair === null || !findChanges(pair, budget)) return null;
  slideChanges(pair.before, pair.after, pair.same);
  slideChanges(pair.after, pair.before, pair.same);
  return hunksOf(pair);
}

/** Number of lines added and removed; binary files do not count. */
export interface DiffStats {
  additions: number;
  deletions: number;
}

/**
 * Number of lines that `lineDiff` shows as added and removed.
 * @returns null if git must be asked
 */
export function countLines(before: Buffer, after: Buffer, budget: DiffBudget): DiffStats | null {
  const pair = linesOf(before, after);
  if (pair === null || !findChanges(pair, budget)) return null;
  return { additions: countChanged(pair.after), deletions: countChanged(pair.before) };
}

function countChanged({ changed, count }: Lines): number {
  let sum = 0;
  for (let line = 0; line < count; line += 1) sum += changed[line]!;
  return sum;
}
