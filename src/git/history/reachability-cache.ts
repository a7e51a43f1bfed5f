import { LRUCache } from 'lru-cache';
import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import { CommitQueue } from './commit-queue.ts';
import type { TimeSlice } from './time-slice.ts';

/** Beginnings that are remembered for a graph: the branches that others are compared with are few. */
const MAX = 4;
/** And none of which so many commits wait, as they do where a history is wider than any that people make. */
const MAX_WAITING = 20_000;

/** What of a graph some commits reach, themselves included. It is found as far down as somebody asked, and never again. */
export class ReachabilityCache {
  readonly #graph: CommitGraph;
  readonly #bits: Uint8Array;
  /** Commits that it has, whose parents were not looked at: those above all of them are complete. */
  readonly #waiting = new CommitQueue();

  private constructor(graph: CommitGraph, tips: readonly number[]) {
    this.#graph = graph;
    this.#bits = new Uint8Array((graph.count >> 3) + 1);
    for (const tip of tips) this.#add(tip);
  }

  /**
   * Which of some commits of a graph are reached from others. Several may ask at a time.
   * @throws GitError as `TimeSlice.rest`
   */
  static async filter(
    graph: CommitGraph,
    tips: readonly number[],
    commits: readonly number[],
    timeSlice: TimeSlice,
  ): Promise<number[]> {
    const known = ofGraphs.get(graph) ?? new LRUCache({ max: MAX });
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

/** An eighth of a byte for a commit, and those that wait: little beside the graph itself, with which they go. */
const ofGraphs = new WeakMap<CommitGraph, LRUCache<string, ReachabilityCache>>();
