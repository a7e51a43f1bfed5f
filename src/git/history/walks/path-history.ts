import { type Commits, type KnownState, PathChanges, PathFilter, type TimeSlice } from '../../commit-graph/index.ts';
import { emptyTreeLike, encodeBytes } from '../../common/index.ts';
import type { ObjectReader } from '../../objects/index.ts';
import { PathStates } from './path-states.ts';

/** Number of commits processed before yielding. */
const STEPS = 4_000;
const MAX_KNOWN = 5_000;
const FILE = /^1[02]/;

/** The changes of one file or folder: from the path indexes of the graph, else from filters and trees. */
export class PathHistory {
  readonly #commits: Commits;
  readonly #pace: TimeSlice;
  readonly #states: PathStates;
  readonly #filter: PathFilter;
  readonly #changes: PathChanges;
  readonly #onlyFolder: boolean;
  /** Known content at the path, by commit. */
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

  /** @param path with slashes; a trailing one matches only a folder */
  static async of(commits: Commits, timeSlice: TimeSlice, objects: ObjectReader, path: string): Promise<PathHistory> {
    return new PathHistory(
      commits,
      timeSlice,
      objects,
      path,
      await PathChanges.of(commits.graph?.layers ?? [], bytesOf(path)),
    );
  }

  /**
   * Whether a commit certainly left the path unchanged against its first parent, or absent if it has none. Reads no
   * objects.
   */
  isKnownUnchanged(commit: number): boolean {
    return commit < this.#changes.limit ? !this.#changes.has(commit) : !this.#commits.mayChange(commit, this.#filter);
  }

  /**
   * Follows first parents while the path certainly has the same state. Reads no objects; a call takes less than a
   * millisecond.
   * @param since stops at commits older than this, in seconds
   * @returns the commit reached, possibly the start
   */
  skipUnchanged(commit: number, since = Number.NEGATIVE_INFINITY): number {
    const next = this.#commits.skipUnchanged(commit, this.#filter, this.#changes, STEPS, since);
    this.passOn(commit, next);
    return next;
  }

  /** Records that two commits have the same content at the path, which saves a look-up. */
  passOn(commit: number, other: number): void {
    const state = this.#known.get(commit);
    if (state !== undefined) this.#know(other, state);
  }

  /**
   * Whether a commit has the same content at the path as one of its parents, which is loaded.
   * @param nth index of the parent, from 0 on; 0 for a root commit, which is compared with an empty tree
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

  /** Content after the last change along first parents. */
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

  /** As `PathStates.stateAt` returns it. */
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
