import type { Commits } from '../../commit-graph/index.ts';
import type { PathHistory } from './path-history.ts';

export const SEEN = 1;
export const ADDED = 2;
export const UNINTERESTING = 4;
export const TREESAME = 8;
/** Excluded explicitly, not as an ancestor of an excluded commit. */
const BOTTOM = 16;
const PARSED = 32;
export const EXPLORED = 64;
export const COUNTED = 128;

/** Query of a commit walk. */
export interface WalkQuery {
  /** Start commits. */
  from: readonly number[];
  /** Commits to exclude with all their ancestors. */
  not: readonly number[];
  /** Only commits that changed this path, with git's default history simplification; null for all. */
  path: PathHistory | null;
  firstParent: boolean;
  /** Seconds since 1970, inclusive. */
  since: number | null;
  until: number | null;
}

/**
 * Flags of commits in a walk, and the step from a commit to its parents. Like git, it processes commits one at a time
 * with the knowledge of that moment, so it excludes the same commits as git, whatever their clocks.
 */
export class WalkState {
  readonly commits: Commits;
  readonly query: WalkQuery;
  /** Called for each commit that is found to be excluded. */
  onLeftOut: (commit: number) => void = () => {};
  #flags: Uint8Array;
  /** Parents of merges that are followed in one direction only. */
  readonly #simplified = new Map<number, readonly number[]>();

  constructor(commits: Commits, query: WalkQuery) {
    this.commits = commits;
    this.query = query;
    this.#flags = new Uint8Array(commits.size + 100);
  }

  has(commit: number, flag: number): boolean {
    return ((this.#flags[commit] ?? 0) & flag) !== 0;
  }

  set(commit: number, flag: number): void {
    if (commit >= this.#flags.length) {
      const grown = new Uint8Array(commit + 1_000);
      grown.set(this.#flags);
      this.#flags = grown;
    }
    this.#flags[commit]! |= flag;
  }

  /** Sets a flag; false if it was already set. */
  markOnce(commit: number, flag: number): boolean {
    if (this.has(commit, flag)) return false;
    this.set(commit, flag);
    return true;
  }

  /** The followed parents. */
  parents(commit: number): readonly number[] {
    return this.#simplified.get(commit) ?? this.commits.parents(commit);
  }

  /** Start commits without duplicates, in the order of the query. */
  begin(): number[] {
    const { from, not } = this.query;
    for (const commit of not) this.set(commit, UNINTERESTING | BOTTOM);
    const starts = [...new Set([...from, ...not])];
    for (const commit of starts) this.set(commit, PARSED | SEEN);
    for (const commit of starts) {
      if (this.has(commit, UNINTERESTING)) this.leaveOutAbove(commit);
    }
    return starts;
  }

  /** Marks the parents of a commit, and their known ancestors, as excluded. */
  leaveOutAbove(commit: number): void {
    const stack = [...this.parents(commit)];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (this.has(next, UNINTERESTING)) continue;
      this.set(next, UNINTERESTING);
      this.onLeftOut(next);
      // Unread commits are marked when they are read.
      if (this.has(next, PARSED)) stack.push(...this.parents(next));
    }
  }

  /**
   * Moves from a commit to its parents, once.
   * @param put receives parents that were not seen before
   * @returns a promise if something must be read
   */
  expand(commit: number, put: (parent: number) => void): Promise<void> | undefined {
    if (this.has(commit, ADDED)) return undefined;
    const parents = this.parents(commit);
    for (const parent of parents) {
      if (!this.commits.isLoaded(parent)) return this.commits.load(parent).then(() => this.expand(commit, put));
    }
    this.set(commit, ADDED);
    if (this.has(commit, UNINTERESTING)) {
      this.#expandLeftOut(parents, put);
      return undefined;
    }
    const simplified = this.#simplify(commit, parents);
    if (simplified !== undefined) return simplified.then(() => this.#hand(commit, put));
    this.#hand(commit, put);
    return undefined;
  }

  #expandLeftOut(parents: readonly number[], put: (parent: number) => void): void {
    for (const parent of parents) {
      if (this.markOnce(parent, UNINTERESTING)) this.onLeftOut(parent);
      this.set(parent, PARSED);
      this.leaveOutAbove(parent);
      if (this.markOnce(parent, SEEN)) put(parent);
    }
  }

  #hand(commit: number, put: (parent: number) => void): void {
    for (const parent of this.parents(commit)) {
      this.set(parent, PARSED);
      if (this.markOnce(parent, SEEN)) put(parent);
      if (this.query.firstParent) break;
    }
  }

  #isRelevant(commit: number): boolean {
    return !this.has(commit, UNINTERESTING) || this.has(commit, BOTTOM);
  }

  /** Follows only the first parent with the same content at the path. */
  #simplify(commit: number, parents: readonly number[]): Promise<void> | undefined {
    const { path } = this.query;
    if (path === null) return undefined;
    const first = parents[0];
    if (path.isKnownUnchanged(commit) && (first === undefined || this.#isRelevant(first))) {
      if (first !== undefined) path.passOn(commit, first);
      this.#follow(commit, parents, first);
      return undefined;
    }
    return this.#compare(commit, parents, path);
  }

  #follow(commit: number, parents: readonly number[], parent: number | undefined): void {
    this.set(commit, TREESAME);
    if (parent === undefined) return;
    this.set(parent, PARSED);
    if (parents.length > 1) this.#simplified.set(commit, [parent]);
  }

  async #compare(commit: number, parents: readonly number[], path: PathHistory): Promise<void> {
    if (parents.length === 0) {
      if (await path.isSame(commit, null, 0)) this.set(commit, TREESAME);
      return;
    }
    let relevant = 0;
    let relevantChange = false;
    let otherChange = false;
    for (const [nth, parent] of parents.entries()) {
      if (this.#isRelevant(parent)) relevant += 1;
      if (nth === 1 && this.query.firstParent) break;
      this.set(parent, PARSED);
      const same = await path.isSame(commit, parent, nth);
      if (same && this.#isRelevant(parent)) {
        this.#follow(commit, parents, parent);
        return;
      }
      if (!same && this.#isRelevant(parent)) relevantChange = true;
      if (!same && !this.#isRelevant(parent)) otherChange = true;
    }
    if (relevant > 0 ? !relevantChange : !otherChange) this.set(commit, TREESAME);
  }
}
