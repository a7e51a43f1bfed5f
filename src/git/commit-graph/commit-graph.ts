import type { DiffStats } from '../line-diff/index.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { ancestorOfDepth, layerOf } from './first-parents.ts';
import type { PathChanges } from './path-changes.ts';
import type { PathFilter } from './path-filter.ts';

/** A chain of layers as one graph: commits by position, starting at 0. All reads are in memory. */
export class CommitGraph {
  readonly count: number;
  /** Oldest first. */
  readonly layers: readonly GraphLayer[];
  /** Memory in bytes of all layers and their loaded indexes. */
  readonly bytes: number;
  /** Number of digits of a complete id. */
  readonly digits: number;
  /** Whether generations are known. Otherwise only walks by date are possible. */
  readonly hasGenerations: boolean;
  readonly #hasDates: boolean;

  /** @param layers at least one, oldest first */
  constructor(layers: readonly GraphLayer[]) {
    const last = layers.at(-1)!;
    this.layers = layers;
    this.count = last.below + last.count;
    this.bytes = layers.reduce((sum, layer) => sum + layer.heldBytes, 0);
    this.digits = last.hashBytes * 2;
    // As in git, the two kinds of generations are never mixed.
    this.#hasDates = layers.every((layer) => layer.hasDates || layer.count === 0);
    this.hasGenerations = this.#hasDates || layers.every((layer) => layer.count === 0 || layer.level(0) > 0);
  }

  /** Whether generations are corrected dates rather than levels. */
  get hasDates(): boolean {
    return this.#hasDates;
  }

  /** Position of a complete id; -1 if it is not in the graph. */
  find(oid: string): number {
    if (oid.length !== this.digits) return -1;
    const id = Buffer.from(oid, 'hex');
    for (let index = this.layers.length - 1; index >= 0; index -= 1) {
      const layer = this.layers[index]!;
      const layerIndex = layer.find(id);
      if (layerIndex >= 0) return layer.below + layerIndex;
    }
    return -1;
  }

  #layerOf(position: number): GraphLayer {
    return layerOf(this.layers, position);
  }

  oid(position: number): string {
    const layer = this.#layerOf(position);
    return layer.oid(position - layer.below);
  }

  tree(position: number): string {
    const layer = this.#layerOf(position);
    return layer.tree(position - layer.below);
  }

  /** @throws GitError `corrupt` if a parent is outside the graph */
  parents(position: number): readonly number[] {
    const layer = this.#layerOf(position);
    return layer.parents(position - layer.below);
  }

  /** Whether a commit has several parents. */
  isMerge(position: number): boolean {
    const layer = this.#layerOf(position);
    return layer.isMerge(position - layer.below);
  }

  /** Commit date in seconds since 1970. */
  date(position: number): number {
    const layer = this.#layerOf(position);
    return layer.date(position - layer.below);
  }

  /** Lines that a commit adds and deletes against its first parent; null if git must be asked. */
  stats(position: number): DiffStats | null {
    const layer = this.#layerOf(position);
    return layer.stats?.of(position - layer.below) ?? null;
  }

  /** Generation number, higher than those of all ancestors. */
  generation(position: number): number {
    const layer = this.#layerOf(position);
    return this.#hasDates ? layer.correctedDate(position - layer.below) : layer.level(position - layer.below);
  }

  /** Whether a commit may have changed a path against its first parent; false means that it certainly has not. */
  mayChange(position: number, filter: PathFilter): boolean {
    const layer = this.#layerOf(position);
    return filter.mayChange(layer, position - layer.below);
  }

  /**
   * Follows first parents while the path certainly has the same state.
   * @param changes exact knowledge about the path; the filter serves commits beyond its limit
   * @param steps maximum number of steps
   * @param since stops at commits older than this
   * @returns the commit reached; the start if it may have changed the path
   */
  skipUnchanged(position: number, filter: PathFilter, changes: PathChanges, steps: number, since: number): number {
    const { limit } = changes;
    if (position < limit && since === Number.NEGATIVE_INFINITY) {
      const few = changes.deepestFirst((at) => this.depth(at));
      if (few !== null) return this.#skipTo(position, few);
    }
    // Reading dates is expensive for thousands of commits.
    const isBounded = since > Number.NEGATIVE_INFINITY;
    let at = position;
    for (let left = steps; left > 0; left -= 1) {
      const layer = this.#layerOf(at);
      const index = at - layer.below;
      if (at < limit ? changes.has(at) : filter.mayChange(layer, index)) return at;
      if (isBounded && layer.date(index) < since) return at;
      const next = layer.firstParent(index);
      if (next < 0) return at;
      at = next;
    }
    return at;
  }

  /**
   * The last commit along first parents that changed a path, which has the same content there as this one; the end of
   * the line if there is none.
   * @returns null if the path has too many changes for skip pointers
   */
  lastOfFirstParents(position: number, changes: PathChanges): number | null {
    const few = changes.deepestFirst((at) => this.depth(at));
    return few === null ? null : this.#skipTo(position, few);
  }

  /** Number of commits along first parents, from this one to the end of the line. */
  depth(position: number): number {
    const layer = this.#layerOf(position);
    return layer.depths[position - layer.below]!;
  }

  /** The first of the given commits along first parents, or the end of the line. Skips from depth to depth. */
  #skipTo(position: number, deepestFirst: ArrayLike<number>): number {
    let at = position;
    let depth = this.depth(position);
    for (let nth = 0; nth < deepestFirst.length; nth += 1) {
      const sought = deepestFirst[nth]!;
      const next = this.depth(sought);
      if (next > depth) continue;
      at = ancestorOfDepth(this.layers, at, next);
      if (at === sought) return at;
      depth = next;
    }
    return ancestorOfDepth(this.layers, at, 1);
  }
}
