import { emptyTreeLike } from '../arguments.ts';
import { type KnownState, PathChanges } from '../commit-graph/path-changes.ts';
import { PathFilter } from '../commit-graph/path-filter.ts';
import { encodeBytes } from '../git.bytes.ts';
import type { ObjectReader } from '../object-reader.ts';
import type { Commits } from './history.commits.ts';
import { PathStates } from './path-states.ts';
import type { TimeSlice } from './time-slice.ts';

/** How many commits are looked at before others have their turn. */
const STEPS = 4_000;
const MAX_KNOWN = 5_000;
const FILE = /^1[02]/;

/** What commits did to one file or folder: by the path indexes of the graph, and by filters and trees where it has none. */
export class PathHistory {
  readonly #commits: Commits;
  readonly #pace: TimeSlice;
  readonly #states: PathStates;
  readonly #filter: PathFilter;
  readonly #changes: PathChanges;
  readonly #onlyFolder: boolean;
  /** What is at the path in commits. */
  readonly #known = new Map<number, string>();

  private constructor(
    commits: Commits,
    timeSlice: TimeSlice,
    objects: ObjectReader,
    path: string,
    changes: PathChanges,
  ) {
    this.#commits = commits;
    this.#pace = timeSlice;
    this.#states = new PathStates(objects, path);
    this.#filter = new PathFilter(bytesOf(path));
    this.#changes = changes;
    this.#onlyFolder = path.endsWith('/');
  }

  /** @param path with slashes; one at the end means that only a folder counts */
  static async of(commits: Commits, timeSlice: TimeSlice, objects: ObjectReader, path: string): Promise<PathHistory> {
    return new PathHistory(
      commits,
      timeSlice,
      objects,
      path,
      await PathChanges.of(commits.graph?.layers ?? [], bytesOf(path)),
    );
  }

  /** Whether a commit certainly left the path as its first parent has it, or as nothing where it has none. Reads nothing. */
  isKnownUnchanged(commit: number): boolean {
    return commit < this.#changes.limit ? !this.#changes.has(commit) : !this.#commits.mayChange(commit, this.#filter);
  }

  /**
   * Goes back along first parents while they surely have the path in the same state. Reads nothing; a call takes less than a
   * millisecond.
   * @param since stops before what was committed earlier, in seconds
   * @returns the commit that was come to, be it the same
   */
  skipUnchanged(commit: number, since = Number.NEGATIVE_INFINITY): number {
    const next = this.#commits.skipUnchanged(commit, this.#filter, this.#changes, STEPS, since);
    this.passOn(commit, next);
    return next;
  }

  /** Says that the path is in a commit as in another, so that it need not be looked up there. */
  passOn(commit: number, other: number): void {
    const state = this.#known.get(commit);
    if (state !== undefined) this.#know(other, state);
  }

  /**
   * Whether the path is in a commit as in one of its parents, which is loaded.
   * @param nth of the parent, from 0 on; without parents 0, and the commit is held against nothing
   */
  async isSame(commit: number, parent: number | null, nth: number): Promise<boolean> {
    if (nth === 0 && this.isKnownUnchanged(commit)) return true;
    const isOuter = commit >= this.#commits.graphCount;
    if (isOuter && parent !== null && !this.#known.has(commit)) {
      return await this.#states.areSame(this.#commits.tree(commit), this.#commits.tree(parent));
    }
    const own = await this.#stateAt(commit);
    return own === (parent === null ? '' : await this.#stateAt(parent));
  }

  async #stateAt(commit: number): Promise<string> {
    const known = this.#known.get(commit);
    if (known !== undefined) return known;
    const isIndexed = commit < this.#changes.limit;
    const state = isIndexed ? await this.#indexedState(commit) : await this.#states.stateAt(this.#commits.tree(commit));
    this.#know(commit, state);
    return state;
  }

  /** That of the last change along first parents. */
  async #indexedState(commit: number): Promise<string> {
    let at = commit;
    while (!this.#changes.has(at)) {
      const next = this.#commits.skipUnchanged(at, this.#filter, this.#changes, STEPS, Number.NEGATIVE_INFINITY);
      if (next === at) return '';
      at = next;
      if (this.#pace.isLate) await this.#pace.yield();
    }
    return this.#textOf(this.#changes.stateAt(at));
  }

  /** As `PathStates.stateAt` has it. */
  #textOf(state: KnownState | null): string {
    if (state === null || state.oid === emptyTreeLike(state.oid)) return '';
    return this.#onlyFolder && FILE.test(state.mode) ? '' : `${state.mode} ${state.oid}`;
  }

  #know(commit: number, state: string): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(commit, state);
  }
}

const bytesOf = (path: string): Buffer => encodeBytes(path.endsWith('/') ? path.slice(0, -1) : path);
