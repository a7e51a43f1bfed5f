import { setImmediate } from 'node:timers/promises';
import { damaged, type GraphLayer } from './commit-graph.layer.ts';

/** How many commits are gone through before others have their turn. */
const STEPS = 40_000;

/**
 * Fills in `depths` and `leaps` of a layer. A depth is the number of commits from here to the end along first parents, this one
 * included; a leap leads so far back that any depth is come to in a number of steps that grows like its logarithm.
 * @param layer whose arrays are empty
 * @param chain the layers below, filled in
 * @throws GitError `corrupt` where a parent lies outside the graph, or is its own ancestor
 */
export async function rankFirstParents(layer: GraphLayer, chain: readonly GraphLayer[]): Promise<void> {
  const { count, below, firstParents, depths, leaps } = layer;
  const depthOf = (position: number) => (position < below ? depthIn(chain, position) : depths[position - below]!);
  const leapOf = (position: number) => (position < below ? leapIn(chain, position) : leaps[position - below]!);
  // A commit, its first parent and so on, up to one whose depth is known.
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
      // Two leaps of the same length become one.
      leaps[index] = depth - middle === middle - depthOf(next) ? next : parent;
    }
    if (steps < STEPS) continue;
    steps = 0;
    await setImmediate();
  }
}

/**
 * The commit of a depth that one comes to along first parents.
 * @param position one of a greater depth, or of this
 * @param depth 1 is the end
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

/** The layer that has a position. @param layers the oldest first */
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
