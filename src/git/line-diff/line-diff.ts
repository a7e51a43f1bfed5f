import { type Hunks, hunksOf } from './hunks.ts';
import { type DiffBudget, findChanges } from './line-diff.changes.ts';
import { type Lines, linesOf } from './line-diff.lines.ts';
import { slideChanges } from './slide.ts';

/**
 * What differs between two contents, as `git diff` prints it with three lines of context.
 * @param budget of all contents that are compared for one answer
 * @returns null where git has to be asked: they are long, or differ in very many lines
 */
export function lineDiff(before: Buffer, after: Buffer, budget: DiffBudget): Hunks | null {
  const pair = linesOf(before, after);
  if (pair === null || !findChanges(pair, budget)) return null;
  slideChanges(pair.before, pair.after, pair.same);
  slideChanges(pair.after, pair.before, pair.same);
  return hunksOf(pair);
}

/** Lines added and removed; binary files count for nothing. */
export interface DiffStats {
  additions: number;
  deletions: number;
}

/**
 * How many lines `lineDiff` would show as added and removed.
 * @returns null where git has to be asked
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
