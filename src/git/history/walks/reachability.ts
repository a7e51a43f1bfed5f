import type { Commits, TimeSlice } from '../../commit-graph/index.ts';
import { ReachabilityCache } from './reachability-cache.ts';

/** Number of commits visited before all commits outside the graph are read. */
const NEAR = 64;

/**
 * Whether a commit is in the history of another one, or is that commit.
 * @throws TooManyOuterCommits, GitError as `Commits.rank` and `TimeSlice.yield`
 */
export async function isReachable(
  commits: Commits,
  timeSlice: TimeSlice,
  targets: number,
  from: number,
): Promise<boolean> {
  const near = new Set([from]);
  // Grows during the loop.
  for (const commit of near) {
    if (commit === targets) return true;
    if (near.size > NEAR) break;
    if (!commits.isLoaded(commit)) await commits.load(commit);
    for (const parent of commits.parents(commit)) near.add(parent);
  }
  return near.size > NEAR && (await reachableOf(commits, timeSlice, [targets], from)).has(targets);
}

/**
 * Returns which of the given commits are in the history of another one.
 * @throws as `isReachable`
 */
export async function reachableOf(
  commits: Commits,
  timeSlice: TimeSlice,
  targets: readonly number[],
  from: number,
): Promise<Set<number>> {
  await commits.rank([...targets, from]);
  const open = new Set(targets);
  const reachable = new Set<number>();
  const inGraph: number[] = [];
  const outside = new Set([from]);
  // Grows during the loop.
  for (const commit of outside) {
    if (open.size === 0) return reachable;
    if (timeSlice.isExpired) await timeSlice.yield();
    if (open.delete(commit)) reachable.add(commit);
    if (commit < commits.graphCount) inGraph.push(commit);
    else for (const parent of commits.parents(commit)) outside.add(parent);
  }
  const left = [...open].filter((commit) => commit < commits.graphCount);
  if (left.length === 0 || commits.graph === null) return reachable;
  for (const commit of await ReachabilityCache.filter(commits.graph, inGraph, left, timeSlice)) reachable.add(commit);
  return reachable;
}

const UNKNOWN = 0;
const WITHOUT = 1;
const WITH = 2;

/** Decides for a sequence of commits whether a given one is in their history, and caches intermediate results. */
export class Containment {
  readonly #commits: Commits;
  readonly #pace: TimeSlice;
  readonly #target: number;
  #known = new Uint8Array(0);

  constructor(commits: Commits, timeSlice: TimeSlice, targets: number) {
    this.#commits = commits;
    this.#pace = timeSlice;
    this.#target = targets;
  }

  /** @throws as `isReachable` */
  async isIn(tip: number): Promise<boolean> {
    await this.#commits.rank([tip, this.#target]);
    this.#grow();
    const stack = [tip];
    for (let commit = tip; this.#known[tip] === UNKNOWN; commit = stack.at(-1)!) {
      if (this.#pace.isExpired) await this.#pace.yield();
      const open = this.#lookAt(commit);
      if (open === undefined) stack.pop();
      else stack.push(open);
    }
    return this.#known[tip] === WITH;
  }

  /** Decides for a commit if all of its parents except the given one are decided. */
  #lookAt(commit: number): number | undefined {
    const known = this.#known;
    if (known[commit] !== UNKNOWN) return undefined;
    if (commit === this.#target) {
      known[commit] = WITH;
      return undefined;
    }
    if (this.#commits.generation(commit) > this.#commits.generation(this.#target)) {
      const parents = this.#commits.parents(commit);
      if (parents.some((parent) => known[parent] === WITH)) {
        known[commit] = WITH;
        return undefined;
      }
      const open = parents.find((parent) => known[parent] === UNKNOWN);
      if (open !== undefined) return open;
    }
    known[commit] = WITHOUT;
    return undefined;
  }

  /** Concurrent walks may have read more commits. */
  #grow(): void {
    if (this.#known.length >= this.#commits.size) return;
    const grown = new Uint8Array(this.#commits.size + 100);
    grown.set(this.#known);
    this.#known = grown;
  }
}
