import type { Commits, TimeSlice } from '../../commit-graph/index.ts';
import { CommitQueue } from './commit-queue.ts';

/** A walk from several commits down to their common history. */
export interface WalkDownOptions {
  /** Start commits with marks (bits below 128). A commit may occur more than once. */
  starts: readonly (readonly [commit: number, marks: number])[];
  /** Whether nothing below a commit with these marks is of interest. */
  isDone(marks: number): boolean;
  /**
   * Called once for each commit, after all of its children, with their combined marks; returns the marks for its
   * parents.
   */
  visit(commit: number, marks: number): number;
  /** Marks that only the first parent inherits; default none. */
  firstParentOnly?: number;
}

const WAITS = 128;

/**
 * Walks from children to parents until all waiting commits are done.
 * @throws TooManyOuterCommits, GitError as `Commits.rank` and `TimeSlice.yield`
 */
export async function walkDown(commits: Commits, timeSlice: TimeSlice, descent: WalkDownOptions): Promise<void> {
  await commits.rank(descent.starts.map(([commit]) => commit));
  const marks = new Uint8Array(commits.size);
  const queue = new CommitQueue();
  let open = 0;
  const mark = (commit: number, more: number): void => {
    const before = marks[commit]!;
    const after = before | more | WAITS;
    if (before === after) return;
    marks[commit] = after;
    const wasOpen = (before & WAITS) !== 0 && !descent.isDone(before & ~WAITS);
    open += Number(!descent.isDone(after & ~WAITS)) - Number(wasOpen);
    if ((before & WAITS) === 0) queue.put(commit, commits.generation(commit), commits.date(commit));
  };
  for (const [commit, more] of descent.starts) mark(commit, more);
  while (open > 0) {
    if (timeSlice.isExpired) await timeSlice.yield();
    const commit = queue.take();
    const own = marks[commit]! & ~WAITS;
    open -= Number(!descent.isDone(own));
    let handed = descent.visit(commit, own);
    for (const parent of commits.parents(commit)) {
      if (handed !== 0) mark(parent, handed);
      handed &= ~(descent.firstParentOnly ?? 0);
    }
  }
}
