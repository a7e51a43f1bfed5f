import { GitError } from '../common/index.ts';
import type { ObjectReader } from '../objects/index.ts';
import type { CommitGraph } from './commit-graph.ts';
import type { PathChanges } from './path-changes.ts';
import type { PathFilter } from './path-filter.ts';

/** The history exceeds what this process reads: git must answer the query. */
export class TooManyOuterCommits extends Error {}

interface OuterCommit {
  parents: readonly number[];
  date: number;
  tree: string;
}

/**
 * Maximum number of commits outside the graph that are read as objects in one repository, until its graph is rewritten.
 */
export const MAX_OUTER_COMMITS = 2_000;

/**
 * The commits of a repository as numbers: those of its commit-graph by position, others in the order of their first
 * use. Commits of the graph are available at once; others have to be loaded first.
 */
export class Commits {
  readonly graph: CommitGraph | null;
  /** Number of commits in the graph. Higher numbers denote other commits. */
  readonly graphCount: number;
  readonly #objects: ObjectReader;
  readonly #ids = new Map<string, number>();
  readonly #oids: string[] = [];
  readonly #outer: (OuterCommit | undefined)[] = [];
  readonly #generations: (number | undefined)[] = [];
  #loaded = 0;

  constructor(graph: CommitGraph | null, objects: ObjectReader) {
    this.graph = graph;
    this.graphCount = graph?.count ?? 0;
    this.#objects = objects;
  }

  /** Upper bound of the numbers. */
  get size(): number {
    return this.graphCount + this.#oids.length;
  }

  /** Whether no further commit can be loaded. */
  get isFull(): boolean {
    return this.#loaded >= MAX_OUTER_COMMITS || this.#oids.length >= 4 * MAX_OUTER_COMMITS;
  }

  /** Number of a complete id, without a check that the commit exists. */
  numberOf(oid: string): number {
    const known = this.find(oid);
    if (known >= 0) return known;
    this.#ids.set(oid, this.size);
    this.#oids.push(oid);
    this.#outer.push(undefined);
    return this.size - 1;
  }

  /** Number of a complete id that already has one; -1 for any other. */
  find(oid: string): number {
    const position = this.graph?.find(oid) ?? -1;
    return position >= 0 ? position : (this.#ids.get(oid) ?? -1);
  }

  oid(commit: number): string {
    return commit < this.graphCount ? this.graph!.oid(commit) : this.#oids[commit - this.graphCount]!;
  }

  /** Whether the facts of a commit are available. */
  isLoaded(commit: number): boolean {
    return commit < this.graphCount || this.#outer[commit - this.graphCount] !== undefined;
  }

  /**
   * Loads a commit.
   * @returns false if there is no such commit
   * @throws TooManyOuterCommits, GitError as `ObjectReader.commit`
   */
  async tryLoad(commit: number): Promise<boolean> {
    if (this.isLoaded(commit)) return true;
    if (this.isFull) throw new TooManyOuterCommits();
    const loaded = await this.#objects.commit(this.oid(commit));
    if (loaded === null) return false;
    if (!this.isLoaded(commit)) {
      this.#loaded += 1;
      this.#outer[commit - this.graphCount] = {
        parents: loaded.parents.map((oid) => this.numberOf(oid)),
        date: Math.max(0, loaded.committer.timestamp),
        tree: loaded.tree,
      };
    }
    return true;
  }

  /**
   * Loads a parent.
   * @throws GitError `corrupt` if it is missing; TooManyOuterCommits
   */
  async load(commit: number): Promise<void> {
    if (!(await this.tryLoad(commit))) throw new GitError('corrupt', `Could not read ${this.oid(commit)}`);
  }

  /**
   * Loads the commit with a complete id, or the commit of a tag.
   * @returns its number; null for a tree or blob
   * @throws GitError `failed` if there is no such object; TooManyOuterCommits
   */
  async named(oid: string): Promise<number | null> {
    const commit = this.find(oid);
    if (commit >= 0 && this.isLoaded(commit)) return commit;
    if (this.isFull) throw new TooManyOuterCommits();
    const number = this.numberOf(oid);
    if (await this.tryLoad(number)) return number;
    const peeled = await this.#objects.info(`${oid}^{commit}`);
    if (peeled !== null && peeled.oid !== oid) return await this.named(peeled.oid);
    if ((await this.#objects.info(oid)) === null) throw new GitError('failed', `fatal: bad object ${oid}`);
    return null;
  }

  parents(commit: number): readonly number[] {
    return commit < this.graphCount ? this.graph!.parents(commit) : this.#outer[commit - this.graphCount]!.parents;
  }

  /** Commit date in seconds since 1970. */
  date(commit: number): number {
    return commit < this.graphCount ? this.graph!.date(commit) : this.#outer[commit - this.graphCount]!.date;
  }

  /** Id of its tree. */
  tree(commit: number): string {
    return commit < this.graphCount ? this.graph!.tree(commit) : this.#outer[commit - this.graphCount]!.tree;
  }

  /** Whether it may have changed a path against its first parent; false means that it certainly has not. */
  mayChange(commit: number, filter: PathFilter): boolean {
    return commit >= this.graphCount || this.graph!.mayChange(commit, filter);
  }

  /** As `CommitGraph.skipUnchanged`; a commit outside the graph may have changed the path. */
  skipUnchanged(commit: number, filter: PathFilter, changes: PathChanges, steps: number, since: number): number {
    return commit < this.graphCount ? this.graph!.skipUnchanged(commit, filter, changes, steps, since) : commit;
  }

  /** Generation number, higher than those of all ancestors. Only valid after `rank`. */
  generation(commit: number): number {
    return commit < this.graphCount ? this.graph!.generation(commit) : this.#generations[commit - this.graphCount]!;
  }

  /**
   * Computes the generations of commits and all their ancestors by loading commits outside the graph.
   * @throws TooManyOuterCommits if there are too many, or the graph has no generations; GitError `corrupt`
   */
  async rank(commits: readonly number[]): Promise<void> {
    if (this.graph !== null && !this.graph.hasGenerations) throw new TooManyOuterCommits();
    const byDate = this.graph?.hasDates ?? true;
    const stack = commits.filter((commit) => !this.#isRanked(commit));
    for (let commit = stack.at(-1); commit !== undefined; commit = stack.at(-1)) {
      if (this.#isRanked(commit)) {
        stack.pop();
        continue;
      }
      await this.load(commit);
      const parents = this.parents(commit);
      const open = parents.filter((parent) => !this.#isRanked(parent));
      if (open.length > 0) {
        stack.push(...open);
        continue;
      }
      stack.pop();
      const above = parents.reduce((highest, parent) => Math.max(highest, this.generation(parent)), 0);
      this.#generations[commit - this.graphCount] = Math.max(above + 1, byDate ? this.date(commit) : 1);
    }
  }

  #isRanked(commit: number): boolean {
    return commit < this.graphCount || this.#generations[commit - this.graphCount] !== undefined;
  }
}
