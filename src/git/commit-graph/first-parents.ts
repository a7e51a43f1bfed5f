import { setImmediate } from 'node:timers/promises';
import { damaged, type GraphLayer } from './commit-graph.layer.ts';

/** Number of commits processed before yielding. */
const STEPS = 40_000;

/**
 * Fills in `depths` and `leaps` of a layer. A depth is the number of commits along first parents from this one to the
 * end of the line. A leap is a skip pointer: any depth is reached in a logarithmic number of steps.
 * @param layer with empty arrays
 * @param chain the lower layers, filled in
 * @throws GitError `corrupt` if a parent is outside the graph or a commit is its own ancestor
 */
export async function rankFirstParents(layer: GraphLayer, chain: readonly GraphLayer[]): Promise<void> {
  const { count, below, firstParents, depths, leaps } = layer;
  const depthOf = (position: number) => (position < below ? depthIn(chain, position) : depths[position - below]!);
  const leapOf = (position: number) => (position < below ? leapIn(chain, position) : leaps[position - below]!);
  // A commit, its first parent and so on, up to a commit of known depth.
  const path = new Uint32Array(count);
  for (let start = 0, steps = 0; start < count; start += 1, steps += 1) {
    let length = 0;
    for (let index = start; depths[index] === 0; ) {
      if (length === count) throw damaged('parents');
      path[length] = index;
      length += 1;
      const parent = firstParents[index]!;
      if (parent < below) break;
      index = parent - below;
    }
    steps += length;
    while (length > 0) {
      length -= 1;
      const index = path[length]!;
      const parent = layer.firstParent(index);
      if (parent < 0) {
        depths[index] = 1;
        leaps[index] = below + index;
        continue;
      }
      const depth = depthOf(parent);
      const leap = leapOf(parent);
      const middle = depthOf(leap);
      const next = leapOf(leap);
      depths[index] = depth + 1;
      // Two leaps of equal length combine into one.
      leaps[index] = depth - middle === middle - depthOf(next) ? next : parent;
    }
    if (steps < STEPS) continue;
    steps = 0;
    await setImmediate();
  }
}

/**
 * The ancestor along first parents with a given depth.
 * @param position of a commit with at least this depth
 * @param depth 1 is the end of the line
 */
export function ancestorOfDepth(layers: readonly GraphLayer[], position: number, depth: number): number {
  let at = position;
  for (;;) {
    const layer = layerOf(layers, at);
    const index = at - layer.below;
    if (layer.depths[index]! <= depth) return at;
    const leap = layer.leaps[index]!;
    at = depthIn(layers, leap) >= depth ? leap : layer.firstParents[index]!;
  }
}

/** The layer that contains a position. @param layers oldest first */
export function layerOf(layers: readonly GraphLayer[], position: number): GraphLayer {
  let index = layers.length - 1;
  while (layers[index]!.below > position) index -= 1;
  return layers[index]!;
}

function depthIn(layers: readonly GraphLayer[], position: number): number {
  const layer = layerOf(layers, position);
  return layer.depths[position - layer.below]!;
}

function leapIn(layers: readonly GraphLayer[], position: number): number {
  const layer = layerOf(layers, position);
  return layer.leaps[position - layer.below]!;
}
