import type { GraphLayer } from './layer.ts';
import { CHANGE_BYTES, KIND_BITS, KINDS, NOTHING, pathKey, STATE_BYTES } from './path-index-format.ts';

/** What is at a path: nothing, or a mode and the beginning of an id in hex. */
export interface KnownState {
  mode: string;
  id: string;
}

/** How much of an id is known. */
export const KNOWN_DIGITS: number = 2 * STATE_BYTES;

interface LayerChanges {
  below: number;
  parts: readonly Buffer[];
}

/** Which commits of a graph changed one path against their first parents, out of the indexes of its layers. */
export class PathChanges {
  /** Of commits from this position on nothing is known. */
  readonly limit: number;
  readonly #layers: readonly LayerChanges[];
  /** A bit for each commit that changed the path. */
  readonly #marks: Uint8Array;

  private constructor(limit: number, layers: readonly LayerChanges[]) {
    this.limit = limit;
    this.#layers = layers;
    this.#marks = new Uint8Array((limit >>> 3) + 1);
    for (const { below, parts } of layers) {
      for (const part of parts) {
        for (let at = 0; at < part.length; at += CHANGE_BYTES) {
          const position = below + (part.readUInt32BE(at) >>> KIND_BITS);
          this.#marks[position >>> 3]! |= 1 << (position & 7);
        }
      }
    }
  }

  /**
   * Looks a path up: one read of a file for each layer that knows it.
   * @param graph its layers, the oldest first
   * @param path its bytes, without a slash at the end
   */
  static async of(graph: readonly GraphLayer[], path: Uint8Array): Promise<PathChanges> {
    const key = pathKey(path);
    const found: LayerChanges[] = [];
    let limit = 0;
    for (const layer of graph) {
      const parts = await changesOf(layer, key);
      if (parts === null) break;
      limit = layer.below + layer.count;
      if (parts.length > 0) found.push({ below: layer.below, parts });
    }
    return new PathChanges(limit, found);
  }

  /** Whether a commit below the limit changed the path. */
  has(position: number): boolean {
    return (this.#marks[position >>> 3]! & (1 << (position & 7))) !== 0;
  }

  /** What a commit that changed the path has there. */
  stateAt(position: number): KnownState | null {
    const layer = this.#layers.findLast(({ below }) => below <= position)!;
    const sought = position - layer.below;
    let state: KnownState | null = null;
    for (const part of layer.parts) {
      const at = changeAt(part, sought);
      const kind = at < 0 ? NOTHING : part[at + 3]! & (2 ** KIND_BITS - 1);
      if (kind !== NOTHING) state = { mode: KINDS[kind]!, id: part.toString('hex', at + 4, at + CHANGE_BYTES) };
    }
    return state;
  }
}

async function changesOf(layer: GraphLayer, key: Buffer): Promise<readonly Buffer[] | null> {
  const index = layer.pathIndex;
  const changes = index === null ? null : await index.changesOf(key);
  if (changes === null && index?.isTooMuch === false) layer.pathIndex = null;
  return changes;
}

/** Where a place's change begins; -1 where it has none. */
function changeAt(part: Buffer, place: number): number {
  let low = 0;
  let high = part.length / CHANGE_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = part.readUInt32BE(middle * CHANGE_BYTES) >>> KIND_BITS;
    if (found === place) return middle * CHANGE_BYTES;
    if (found < place) low = middle + 1;
    else high = middle;
  }
  return -1;
}
