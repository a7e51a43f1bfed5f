import { LRUCache } from 'lru-cache';
import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import type { Pace } from './pace.ts';

/** Beginnings that are remembered for a graph: the branches that others are compared with are few. */
const MOST = 4;

/** What of a graph some commits reach, themselves included. It is found as far down as somebody asked, and never again. */
export class Reached {
  readonly #graph: CommitGraph;
  readonly #bits: Uint8Array;
  /** Commits that it has, whose parents were not looked at. */
  readonly #open: number[] = [];
  /** All above this generation were looked at. */
  #floor = Number.POSITIVE_INFINITY;

  constructor(graph: CommitGraph, tips: readonly number[]) {
    this.#graph = graph;
    this.#bits = new Uint8Array((graph.count >> 3) + 1);
    for (const tip of tips) this.#add(tip);
  }

  /** The one of a graph and of these commits in it. */
  static of(graph: CommitGraph, tips: readonly number[]): Reached {
    const known = ofGraphs.get(graph) ?? new LRUCache({ max: MOST });
    ofGraphs.set(graph, known);
    const key = tips.toSorted((a, b) => a - b).join();
    const one = known.get(key) ?? new Reached(graph, tips);
    known.set(key, one);
    return one;
  }

  /**
   * Which of some commits of the graph are among them. Several may look at a time.
   * @throws GitError as `Pace.rest`
   */
  async among(wanted: readonly number[], pace: Pace): Promise<number[]> {
    const lowest = wanted.reduce((least, commit) => Math.min(least, this.#graph.generation(commit)), Number.MAX_VALUE);
    while (lowest < this.#floor && !wanted.every((commit) => this.#has(commit))) {
      if (this.#walk(lowest, pace)) this.#floor = Math.min(lowest, this.#floor);
      else await pace.rest();
    }
    return wanted.filter((commit) => this.#has(commit));
  }

  /** Looks at parents for one turn. @returns whether those of all above a generation were looked at */
  #walk(lowest: number, pace: Pace): boolean {
    const below: number[] = [];
    let isDue = false;
    for (let commit = this.#open.pop(); commit !== undefined; commit = this.#open.pop()) {
      if (this.#graph.generation(commit) <= lowest) {
        below.push(commit);
        continue;
      }
      for (const parent of this.#graph.parents(commit)) this.#add(parent);
      isDue = pace.isDue;
      if (isDue) break;
    }
    for (const commit of below) this.#open.push(commit);
    return !isDue;
  }

  #has(commit: number): boolean {
    return (this.#bits[commit >> 3]! & (1 << (commit & 7))) !== 0;
  }

  #add(commit: number): void {
    if (this.#has(commit)) return;
    this.#bits[commit >> 3]! |= 1 << (commit & 7);
    this.#open.push(commit);
  }
}

/** An eighth of a byte for a commit, and those to be looked at: little beside the graph itself, with which they go. */
const ofGraphs = new WeakMap<CommitGraph, LRUCache<string, Reached>>();
