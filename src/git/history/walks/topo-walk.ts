import type { TimeSlice } from '../../commit-graph/index.ts';
import { CommitQueue } from './commit-queue.ts';
import { COUNTED, EXPLORED, UNINTERESTING, type WalkState } from './walk-state.ts';

/**
 * Walks commits in topological order: no parent before all of its children, and lines of history not interleaved.
 * Generations bound the lookahead.
 * @throws as `Commits.rank` and `TimeSlice.yield`
 */
export async function* walkByTopology(state: WalkState, timeSlice: TimeSlice): AsyncGenerator<number, void> {
  const { commits, query } = state;
  await commits.rank([...query.from, ...query.not]);
  const ahead = new LookAhead(state, timeSlice);
  const starts = state.begin().toSorted((a, b) => commits.date(b) - commits.date(a));
  let lowest = Number.POSITIVE_INFINITY;
  for (const commit of starts) {
    ahead.begin(commit);
    lowest = Math.min(lowest, commits.generation(commit));
  }
  await ahead.count(lowest);
  // The first to take is last in the array.
  const ready = starts.filter((commit) => ahead.children(commit) === 1).toReversed();
  for (let commit = ready.pop(); commit !== undefined; commit = ready.pop()) {
    if (timeSlice.isExpired) await timeSlice.yield();
    if (query.since !== null && commits.date(commit) < query.since) continue;
    await state.expand(commit, () => {});
    for (const parent of state.parents(commit)) {
      if (state.has(parent, UNINTERESTING)) continue;
      if (commits.generation(parent) < lowest) {
        lowest = commits.generation(parent);
        await ahead.count(lowest);
      }
      if (ahead.takeChild(parent) === 1) ready.push(parent);
      if (query.firstParent) break;
    }
    yield commit;
  }
}

/** Counts the outstanding children of commits down to a generation. */
class LookAhead {
  readonly #state: WalkState;
  readonly #pace: TimeSlice;
  readonly #exploring = new CommitQueue();
  readonly #counting = new CommitQueue();
  /** Number of children that were not yielded yet, plus one. */
  readonly #children = new Map<number, number>();

  constructor(state: WalkState, timeSlice: TimeSlice) {
    this.#state = state;
    this.#pace = timeSlice;
  }

  begin(commit: number): void {
    this.#enter(this.#exploring, commit, EXPLORED);
    this.#enter(this.#counting, commit, COUNTED);
    this.#children.set(commit, 1);
  }

  children(commit: number): number {
    return this.#children.get(commit) ?? 0;
  }

  /** Records that one child was yielded; returns the rest. */
  takeChild(commit: number): number {
    const left = this.children(commit) - 1;
    this.#children.set(commit, left);
    return left;
  }

  async count(lowest: number): Promise<void> {
    const { commits, query } = this.#state;
    while (this.#counting.nextGeneration >= lowest) {
      if (this.#pace.isExpired) await this.#pace.yield();
      const commit = this.#counting.take();
      await this.#explore(commits.generation(commit));
      for (const parent of this.#state.parents(commit)) {
        this.#children.set(parent, (this.#children.get(parent) ?? 1) + 1);
        this.#enter(this.#counting, parent, COUNTED);
        if (query.firstParent) break;
      }
    }
  }

  /** Visits commits up to their parents, which determines excluded commits and followed parents. */
  async #explore(lowest: number): Promise<void> {
    const state = this.#state;
    const { commits, query } = state;
    while (this.#exploring.nextGeneration >= lowest) {
      if (this.#pace.isExpired) await this.#pace.yield();
      const commit = this.#exploring.take();
      if (query.since !== null && commits.date(commit) < query.since) state.set(commit, UNINTERESTING);
      const waits = state.expand(commit, (parent) => this.#enter(this.#exploring, parent, EXPLORED));
      if (waits !== undefined) await waits;
      if (state.has(commit, UNINTERESTING)) state.leaveOutAbove(commit);
      for (const parent of state.parents(commit)) this.#enter(this.#exploring, parent, EXPLORED);
    }
  }

  #enter(queue: CommitQueue, commit: number, flag: number): void {
    const { commits } = this.#state;
    if (this.#state.markOnce(commit, flag)) queue.put(commit, commits.generation(commit), commits.date(commit));
  }
}
