import { LRUCache } from 'lru-cache';
import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Pace } from './pace.ts';

/** Beginnings that are remembered for a graph: the branches that others are compared with are few. */
const MOST = 4;
/** And none of which so many commits wait, as they do where a history is wider than any that people make. */
const MOST_WAITING = 20_000;

/** What of a graph some commits reach, themselves included. It is found as far down as somebody asked, and never again. */
export class Reached {
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
   * @throws GitError as `Pace.rest`
   */
  static async among(
    graph: CommitGraph,
    tips: readonly number[],
    wanted: readonly number[],
    pace: Pace,
  ): Promise<number[]> {
    const known = ofGraphs.get(graph) ?? new LRUCache({ max: MOST });
    ofGraphs.set(graph, known);
    const key = tips.toSorted((a, b) => a - b).join();
    const one = known.get(key) ?? new Reached(graph, tips);
    known.set(key, one);
    try {
      return await one.#among(wanted, pace);
    } finally {
      if (one.#waiting.size > MOST_WAITING) known.delete(key);
    }
  }

  async #among(wanted: readonly number[], pace: Pace): Promise<number[]> {
    const lowest = wanted.reduce((least, commit) => Math.min(least, this.#graph.generation(commit)), Number.MAX_VALUE);
    const has = (commit: number) => this.#has(commit);
    while (this.#waiting.nextGeneration > lowest && !wanted.every(has)) {
      do {
        for (const parent of this.#graph.parents(this.#waiting.take())) this.#add(parent);
      } while (!pace.isDue && this.#waiting.nextGeneration > lowest);
      if (pace.isLate) await pace.rest();
    }
    return wanted.filter(has);
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
const ofGraphs = new WeakMap<CommitGraph, LRUCache<string, Reached>>();
