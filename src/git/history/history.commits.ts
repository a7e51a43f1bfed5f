import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import type { PathChanges } from '../commit-graph/path-changes.ts';
import type { PathFilter } from '../commit-graph/path-filter.ts';
import { GitError } from '../git.errors.ts';
import type { ObjectReader } from '../object-reader.ts';

/** The history goes beyond what this process reads: the question is one for git. */
export class TooManyOuterCommits extends Error {}

interface OuterCommit {
  parents: readonly number[];
  date: number;
  tree: string;
}

/** Commits outside the graph that are read as objects, of one repository, until its graph is written anew. */
export const MAX_OUTER_COMMITS = 2_000;

/**
 * The commits of a repository as numbers: those of its commit-graph by their position, others as they are met. Those of
 * the graph are known at once; others have to be loaded first.
 */
export class Commits {
  readonly graph: CommitGraph | null;
  /** So many commits the graph has: a number from here on is that of another. */
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

  /** Numbers are below this one. */
  get size(): number {
    return this.graphCount + this.#oids.length;
  }

  /** Whether no further commit can be loaded. */
  get isFull(): boolean {
    return this.#loaded >= MAX_OUTER_COMMITS || this.#oids.length >= 4 * MAX_OUTER_COMMITS;
  }

  /** The number of a complete id, which is not looked at. */
  numberOf(oid: string): number {
    const known = this.find(oid);
    if (known >= 0) return known;
    this.#ids.set(oid, this.size);
    this.#oids.push(oid);
    this.#outer.push(undefined);
    return this.size - 1;
  }

  /** The number of a complete id that has one already; -1 for any other. */
  find(oid: string): number {
    const position = this.graph?.find(oid) ?? -1;
    return position >= 0 ? position : (this.#ids.get(oid) ?? -1);
  }

  oid(commit: number): string {
    return commit < this.graphCount ? this.graph!.oid(commit) : this.#oids[commit - this.graphCount]!;
  }

  /** Whether the rest may be asked of a commit. */
  isLoaded(commit: number): boolean {
    return commit < this.graphCount || this.#outer[commit - this.graphCount] !== undefined;
  }

  /**
   * Reads a commit that is not loaded.
   * @returns false where there is no such commit
   * @throws TooManyOuterCommits, GitError as `ObjectReader.commit`
   */
  async tryLoad(commit: number): Promise<boolean> {
    if (this.isLoaded(commit)) return true;
    if (this.isFull) throw new TooManyOuterCommits();
    const found = await this.#objects.commit(this.oid(commit));
    if (found === null) return false;
    if (!this.isLoaded(commit)) {
      this.#loaded += 1;
      this.#outer[commit - this.graphCount] = {
        parents: found.parents.map((oid) => this.numberOf(oid)),
        date: Math.max(0, found.committer.timestamp),
        tree: found.tree,
      };
    }
    return true;
  }

  /**
   * Reads a parent that is not loaded.
   * @throws GitError `corrupt` where it is not there; TooManyOuterCommits
   */
  async load(commit: number): Promise<void> {
    if (!(await this.tryLoad(commit))) throw new GitError('corrupt', `Could not read ${this.oid(commit)}`);
  }

  /**
   * The number of a commit that a caller names by its complete id, loaded; of a tag, the commit that it leads to.
   * @returns null for a tree or a file
   * @throws GitError `failed` where there is nothing of this id; TooManyOuterCommits
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

  /** When it was committed, in seconds since 1970. */
  date(commit: number): number {
    return commit < this.graphCount ? this.graph!.date(commit) : this.#outer[commit - this.graphCount]!.date;
  }

  /** The id of its tree. */
  tree(commit: number): string {
    return commit < this.graphCount ? this.graph!.tree(commit) : this.#outer[commit - this.graphCount]!.tree;
  }

  /** Whether it may have changed a path against its first parent; false where it certainly has not. */
  mayChange(commit: number, filter: PathFilter): boolean {
    return commit >= this.graphCount || this.graph!.mayChange(commit, filter);
  }

  /** As `CommitGraph.skipUnchanged`; a commit outside the graph may have changed the path. */
  skipUnchanged(commit: number, filter: PathFilter, changes: PathChanges, steps: number, since: number): number {
    return commit < this.graphCount ? this.graph!.skipUnchanged(commit, filter, changes, steps, since) : commit;
  }

  /** More than that of every ancestor; only after `rank`. */
  generation(commit: number): number {
    return commit < this.graphCount ? this.graph!.generation(commit) : this.#generations[commit - this.graphCount]!;
  }

  /**
   * Finds the generations of commits and of all their ancestors, by loading what lies outside the graph.
   * @throws TooManyOuterCommits where that is too much, or the graph has no generations; GitError `corrupt`
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
      const above = parents.reduce((most, parent) => Math.max(most, this.generation(parent)), 0);
      this.#generations[commit - this.graphCount] = Math.max(above + 1, byDate ? this.date(commit) : 1);
    }
  }

  #isRanked(commit: number): boolean {
    return commit < this.graphCount || this.#generations[commit - this.graphCount] !== undefined;
  }
}
