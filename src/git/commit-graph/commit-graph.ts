import type { DiffStats } from '../line-diff/line-diff.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { ancestorOfDepth, layerOf } from './first-parents.ts';
import type { PathChanges } from './path-changes.ts';
import type { PathFilter } from './path-filter.ts';

/** A chain of layers as one: commits by position, from 0 on. All reads are of memory. */
export class CommitGraph {
  readonly count: number;
  /** The oldest first. */
  readonly layers: readonly GraphLayer[];
  /** Bytes of all layers, and of what is held of their indexes. */
  readonly bytes: number;
  /** Complete ids have so many digits. */
  readonly digits: number;
  /** Whether generations are known; without them only walks by date can be done. */
  readonly hasGenerations: boolean;
  readonly #hasDates: boolean;

  /** @param layers at least one, the oldest first */
  constructor(layers: readonly GraphLayer[]) {
    const last = layers.at(-1)!;
    this.layers = layers;
    this.count = last.below + last.count;
    this.bytes = layers.reduce((sum, layer) => sum + layer.heldBytes, 0);
    this.digits = last.hashBytes * 2;
    // As with git, both kinds of generations are never mixed.
    this.#hasDates = layers.every((layer) => layer.hasDates || layer.count === 0);
    this.hasGenerations = this.#hasDates || layers.every((layer) => layer.count === 0 || layer.level(0) > 0);
  }

  /** Whether generations are corrected dates, not levels. */
  get hasDates(): boolean {
    return this.#hasDates;
  }

  /** The position of a complete id; -1 where the graph does not have it. */
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

  /** @throws GitError `corrupt` where a parent lies outside the graph */
  parents(position: number): readonly number[] {
    const layer = this.#layerOf(position);
    return layer.parents(position - layer.below);
  }

  /** Whether a commit has several parents. */
  isMerge(position: number): boolean {
    const layer = this.#layerOf(position);
    return layer.isMerge(position - layer.below);
  }

  /** When it was committed, in seconds since 1970. */
  date(position: number): number {
    const layer = this.#layerOf(position);
    return layer.date(position - layer.below);
  }

  /** How many lines it adds and deletes against its first parent; null where git is to be asked. */
  stats(position: number): DiffStats | null {
    const layer = this.#layerOf(position);
    return layer.stats?.of(position - layer.below) ?? null;
  }

  /** More than that of every ancestor. */
  generation(position: number): number {
    const layer = this.#layerOf(position);
    return this.#hasDates ? layer.correctedDate(position - layer.below) : layer.level(position - layer.below);
  }

  /** Whether a commit may have changed a path against its first parent; false where it certainly has not. */
  mayChange(position: number, filter: PathFilter): boolean {
    const layer = this.#layerOf(position);
    return filter.mayChange(layer, position - layer.below);
  }

  /**
   * Goes back from a commit along first parents while it is sure that they have a path in the same state.
   * @param changes what is known of the path exactly; the filter is for commits beyond its limit
   * @param steps at most
   * @param since stops before what was committed earlier
   * @returns the commit that was come to; the one it began at where that may have changed the path
   */
  skipUnchanged(position: number, filter: PathFilter, changes: PathChanges, steps: number, since: number): number {
    const { limit } = changes;
    if (position < limit && since === Number.NEGATIVE_INFINITY) {
      const few = changes.deepestFirst((at) => this.depth(at));
      if (few !== null) return this.#skipTo(position, few);
    }
    // A date is dear where there are thousands.
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
   * The commit that changed a path last along first parents, which has there what this one has; where none has, the end of them.
   * @returns null where too many changed it to leap to the last
   */
  lastOfFirstParents(position: number, changes: PathChanges): number | null {
    const few = changes.deepestFirst((at) => this.depth(at));
    return few === null ? null : this.#skipTo(position, few);
  }

  /** How many commits lie from one to the end along first parents, with it. */
  depth(position: number): number {
    const layer = this.#layerOf(position);
    return layer.depths[position - layer.below]!;
  }

  /** The first of some commits that one comes to along first parents, or the end; leaps from depth to depth. */
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
