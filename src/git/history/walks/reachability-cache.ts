import { EntryCache } from '../../../core/cache/index.ts';
import type { CommitGraph, TimeSlice } from '../../commit-graph/index.ts';
import { CommitQueue } from './commit-queue.ts';

/**
 * Entries with more waiting commits are not cached. That happens only in histories wider than those that people create.
 */
const MAX_WAITING = 20_000;

/** The commits of a graph that some commits reach, themselves included. Computed on demand, each part once. */
export class ReachabilityCache {
  readonly #graph: CommitGraph;
  readonly #bits: Uint8Array;
  /** Commits whose parents were not visited yet. Everything above all of them is complete. */
  readonly #waiting = new CommitQueue();

  private constructor(graph: CommitGraph, tips: readonly number[]) {
    this.#graph = graph;
    this.#bits = new Uint8Array((graph.count >> 3) + 1);
    for (const tip of tips) this.#add(tip);
  }

  /**
   * Returns which of the given commits of a graph are reached from others. Calls may overlap.
   * @throws GitError as `TimeSlice.yield`
   */
  static async filter(
    graph: CommitGraph,
    tips: readonly number[],
    commits: readonly number[],
    timeSlice: TimeSlice,
  ): Promise<number[]> {
    const known = ofGraphs.get(graph) ?? new EntryCache<string, ReachabilityCache>('git_reachability');
    ofGraphs.set(graph, known);
    const key = tips.toSorted((a, b) => a - b).join();
    const one = known.get(key) ?? new ReachabilityCache(graph, tips);
    known.set(key, one);
    try {
      return await one.#filter(commits, timeSlice);
    } finally {
      if (one.#waiting.size > MAX_WAITING) known.delete(key);
    }
  }

  async #filter(commits: readonly number[], timeSlice: TimeSlice): Promise<number[]> {
    const lowest = commits.reduce((least, commit) => Math.min(least, this.#graph.generation(commit)), Number.MAX_VALUE);
    const has = (commit: number) => this.#has(commit);
    while (this.#waiting.nextGeneration > lowest && !commits.every(has)) {
      do {
        for (const parent of this.#graph.parents(this.#waiting.take())) this.#add(parent);
      } while (!timeSlice.isExpired && this.#waiting.nextGeneration > lowest);
      if (timeSlice.isLate) await timeSlice.yield();
    }
    return commits.filter(has);
  }

  #has(commit: number): boolean {
    return (this.#bits[commit >> 3]! & (1 << (commit & 7))) !== 0;
  }

  #add(commit: number): void {
    if (this.#has(commit)) return;
    this.#bits[commit >> 3]! |= 1 << (commit & 7);
    this.#waiting.put(commit, this.#graph.generation(commit), 0);
  }
}

/** One bit per commit, plus the waiting commits: little compared to the graph, with which it is freed. */
const ofGraphs = new WeakMap<CommitGraph, EntryCache<string, ReachabilityCache>>();
