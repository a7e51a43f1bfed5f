import type { Commits, TimeSlice } from '../../commit-graph/index.ts';
import { CommitQueue } from './commit-queue.ts';
import { TREESAME, UNINTERESTING, type WalkState } from './walk-state.ts';

/**
 * Number of commits that the walk continues when all waiting commits are excluded, since clocks of authors differ. The
 * value is git's.
 */
const SLOP = 5;

/** Walks commits by date, newest first. Yields some that are only traversed: check the state. */
export async function* walkByDate(state: WalkState, timeSlice: TimeSlice): AsyncGenerator<number, void> {
  const { commits, query } = state;
  const queue = new CommitQueue();
  const put = (commit: number) => queue.put(commit, 0, commits.date(commit));
  for (const commit of state.begin()) put(commit);
  if (query.not.length > 0) {
    yield* await limited(state, timeSlice, queue, put);
    return;
  }
  let lowest = Number.POSITIVE_INFINITY;
  for (let commit = queue.take(); commit >= 0; commit = queue.take()) {
    if (timeSlice.isExpired) await timeSlice.yield();
    // If nothing else waits and this commit is below all visited ones, no other path leads to the skipped commits.
    while (query.path !== null && queue.size === 0 && rankOf(commits, commit) < lowest) {
      const next = query.path.skipUnchanged(commit, query.since ?? undefined);
      if (next === commit) break;
      commit = next;
      if (timeSlice.isLate) await timeSlice.yield();
    }
    lowest = Math.min(lowest, rankOf(commits, commit));
    if (query.since !== null && commits.date(commit) < query.since) continue;
    const waits = state.expand(commit, put);
    if (waits !== undefined) await waits;
    if (!state.has(commit, TREESAME)) yield commit;
  }
}

/** Generation of a commit in the graph. Others need none, since none of them is below a commit of the graph. */
function rankOf(commits: Commits, commit: number): number {
  return commit < commits.graphCount && commits.graph!.hasGenerations
    ? commits.generation(commit)
    : Number.POSITIVE_INFINITY;
}

/** Collects all commits that are not excluded before it yields the first. */
async function limited(
  state: WalkState,
  timeSlice: TimeSlice,
  queue: CommitQueue,
  put: (commit: number) => void,
): Promise<number[]> {
  const { commits, query } = state;
  const { since, until } = query;
  const waiting = new Set<number>();
  const enter = (commit: number) => {
    if (!state.has(commit, UNINTERESTING)) waiting.add(commit);
    put(commit);
  };
  for (const commit of query.from) if (!state.has(commit, UNINTERESTING)) waiting.add(commit);
  const leftOut = (commit: number) => waiting.delete(commit);
  state.onLeftOut = leftOut;
  const commitsByDate: number[] = [];
  let date = Number.POSITIVE_INFINITY;
  let slop = SLOP;
  for (let commit = queue.take(); commit >= 0; commit = queue.take()) {
    if (timeSlice.isExpired) await timeSlice.yield();
    waiting.delete(commit);
    if (since !== null && commits.date(commit) < since) state.set(commit, UNINTERESTING);
    const waits = state.expand(commit, enter);
    if (waits !== undefined) await waits;
    if (state.has(commit, UNINTERESTING)) {
      state.leaveOutAbove(commit);
      if (queue.size === 0) break;
      slop = date <= queue.nextDate || waiting.size > 0 ? SLOP : slop - 1;
      if (slop === 0) break;
      continue;
    }
    if (until !== null && commits.date(commit) > until) continue;
    date = commits.date(commit);
    commitsByDate.push(commit);
  }
  return commitsByDate;
}
