import { BoundedCache } from '../../core/cache/index.ts';
import { detachedCopy } from '../../core/detached-copy.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { partialIndexOf } from './partial-indexes.ts';
import { changeBytes, KIND_BITS, KINDS, NOTHING } from './path-index-format.ts';

/** Content at a path. */
export interface KnownState {
  /** Mode as in git, without a leading zero. */
  mode: string;
  oid: string;
}

const TWO_TO_32 = 2 ** 32;

interface LayerChanges {
  below: number;
  /** Size of a change in bytes. */
  each: number;
  parts: readonly Buffer[];
}

/** Up to this many changes of a path, skip pointers are used; with more, the next change is near. */
const FEW = 1_000;

/** Look-ups of paths with few changes, by the newest layer and the path. */
const lookups = new BoundedCache<string, PathChanges>(
  'git_path_changes',
  (changes, key) => 500 + 2 * key.length + changes.bytes,
);

/** The commits of a graph that changed a path against their first parents, from the indexes of its layers. */
export class PathChanges {
  /** Commits from this position on are unknown. */
  readonly limit: number;
  /** Commits below this generation are unknown: their index is being written. */
  readonly floor: number;
  readonly #layers: readonly LayerChanges[];
  /** Commits that changed the path, in the order of positions. */
  readonly #positions: Uint32Array;
  /** A bit for each commit that changed the path, if there are many. */
  readonly #marks: Uint8Array | null;
  #deepestFirst: Float64Array | undefined;

  private constructor(limit: number, floor: number, layers: readonly LayerChanges[]) {
    this.limit = limit;
    this.floor = floor;
    this.#layers = layers;
    this.#positions = positionsOf(layers);
    this.#marks = this.#positions.length > FEW ? new Uint8Array((limit >>> 3) + 1) : null;
    if (this.#marks === null) return;
    for (const position of this.#positions) this.#marks[position >>> 3]! |= 1 << (position & 7);
  }

  /** Memory in bytes. */
  get bytes(): number {
    const changes = this.#layers.reduce((sum, { parts }) => parts.reduce((all, part) => all + part.length, sum), 0);
    // Includes its commits, and once more their order by depth.
    return changes + 12 * this.#positions.length;
  }

  /**
   * Looks up a path: one file read for each layer that contains it.
   * @param graph its layers, oldest first
   * @param path as bytes, without a trailing slash
   */
  static async of(graph: readonly GraphLayer[], path: Buffer): Promise<PathChanges> {
    return lookups.get(keyOf(graph, path)) ?? (await PathChanges.#read(graph, path, false));
  }

  /**
   * Like `of`, but null if the path has so many changes that reading trees is cheaper. The result may have a `floor`,
   * since partial indexes are used.
   */
  static async ofFew(graph: readonly GraphLayer[], path: Buffer): Promise<PathChanges | null> {
    const known = lookups.get(keyOf(graph, path));
    if (known !== undefined) return known;
    const countIn = (layer: GraphLayer) => (layer.pathIndex ?? partialIndexOf(layer)?.index)?.countOf(path) ?? 0;
    const changes = graph.reduce((sum, layer) => sum + countIn(layer), 0);
    return changes > FEW ? null : await PathChanges.#read(graph, path, true);
  }

  static async #read(graph: readonly GraphLayer[], path: Buffer, takesGrowing: boolean): Promise<PathChanges> {
    const layerChanges: LayerChanges[] = [];
    let limit = 0;
    let floor = Number.NEGATIVE_INFINITY;
    for (const layer of graph) {
      const growing = takesGrowing ? partialIndexOf(layer) : undefined;
      const parts = growing === undefined ? await changesOf(layer, path) : await growing.index.changesOf(path);
      if (parts === null) break;
      floor = Math.max(floor, growing?.floor ?? floor);
      limit = layer.below + layer.count;
      if (parts.length > 0) layerChanges.push({ below: layer.below, each: changeBytes(layer.hashBytes), parts });
    }
    const newest = graph.at(-1);
    const isWhole = floor === Number.NEGATIVE_INFINITY && newest !== undefined && limit === newest.below + newest.count;
    if (!isWhole || countOf(layerChanges) > FEW) return new PathChanges(limit, floor, layerChanges);
    const detached = layerChanges.map((layer) => ({ ...layer, parts: layer.parts.map(detachedCopy) }));
    const changes = new PathChanges(limit, floor, detached);
    lookups.set(keyOf(graph, path), changes);
    return changes;
  }

  /** Whether a commit below the limit changed the path. */
  has(position: number): boolean {
    if (this.#marks !== null) return (this.#marks[position >>> 3]! & (1 << (position & 7))) !== 0;
    const positions = this.#positions;
    let low = 0;
    for (let high = positions.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (positions[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return positions[low] === position;
  }

  /**
   * The commits that changed the path, deepest first; null if they are many.
   * @param depthOf returns depths from 1 on
   */
  deepestFirst(depthOf: (position: number) => number): ArrayLike<number> | null {
    if (this.#marks !== null) return null;
    if (this.#deepestFirst !== undefined) return this.#deepestFirst;
    // Sorting numbers in a typed array needs no comparison function.
    const keys = Float64Array.from(this.#positions, (position) => depthOf(position) * TWO_TO_32 + position);
    this.#deepestFirst = keys
      .sort()
      .reverse()
      .map((key) => key % TWO_TO_32);
    return this.#deepestFirst;
  }

  /** The content that a commit gave the path; null if it removed the path or did not change it. */
  stateAt(position: number): KnownState | null {
    const layer = this.#layers.findLast(({ below }) => below <= position);
    if (layer === undefined) return null;
    const sought = position - layer.below;
    let state: KnownState | null = null;
    for (const part of layer.parts) {
      const at = changeAt(part, sought, layer.each);
      const kind = at < 0 ? NOTHING : part[at + 3]! & (2 ** KIND_BITS - 1);
      if (kind !== NOTHING) state = { mode: KINDS[kind]!, oid: part.toString('hex', at + 4, at + layer.each) };
    }
    return state;
  }
}

/** The newest layer determines all layers below it. */
const keyOf = (graph: readonly GraphLayer[], path: Buffer): string =>
  `${graph.at(-1)?.pathIndexFile}\0${path.toString('latin1')}`;

/** Number of changes. */
const countOf = (layers: readonly LayerChanges[]): number =>
  layers.reduce((sum, { parts, each }) => parts.reduce((all, { length }) => all + length / each, sum), 0);

function positionsOf(layers: readonly LayerChanges[]): Uint32Array {
  const positions = new Uint32Array(countOf(layers));
  let count = 0;
  for (const { below, each, parts } of layers) {
    for (const part of parts) {
      for (let at = 0; at < part.length; at += each) {
        positions[count] = below + (part.readUInt32BE(at) >>> KIND_BITS);
        count += 1;
      }
    }
  }
  return positions.sort();
}

async function changesOf(layer: GraphLayer, path: Uint8Array): Promise<readonly Buffer[] | null> {
  const index = layer.pathIndex;
  const changes = index === null ? null : await index.changesOf(path);
  if (changes === null && index?.isTooMuch === false) layer.pathIndex = null;
  return changes;
}

/** Start of the change of a commit; -1 if there is none. */
function changeAt(part: Buffer, index: number, each: number): number {
  let low = 0;
  let high = part.length / each;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const middleIndex = part.readUInt32BE(middle * each) >>> KIND_BITS;
    if (middleIndex === index) return middle * each;
    if (middleIndex < index) low = middle + 1;
    else high = middle;
  }
  return -1;
}
