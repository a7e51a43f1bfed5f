import { setImmediate } from 'node:timers/promises';
import { damaged, type GraphLayer } from './layer.ts';

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
  const all = [...chain, layer];
  const { depths, leaps, below } = layer;
  const depthOf = (position: number) => fieldAt(all, 'depths', position);
  const leapOf = (position: number) => fieldAt(all, 'leaps', position);
  const path: number[] = [];
  for (let start = 0, steps = 0; start < layer.count; start += 1, steps += 1) {
    for (let place = start; depths[place] === 0; ) {
      path.push(place);
      const parent = layer.firstParent(place);
      if (parent < below) break;
      place = parent - below;
      if (path.length > layer.count) throw damaged('parents');
    }
    steps += path.length;
    for (let place = path.pop(); place !== undefined; place = path.pop()) {
      const parent = layer.firstParent(place);
      depths[place] = parent < 0 ? 1 : depthOf(parent) + 1;
      if (parent < 0) {
        leaps[place] = below + place;
        continue;
      }
      const leap = leapOf(parent);
      const next = leapOf(leap);
      // Two leaps of the same length become one.
      leaps[place] = depthOf(parent) - depthOf(leap) === depthOf(leap) - depthOf(next) ? next : parent;
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
    const place = at - layer.below;
    if (layer.depths[place]! <= depth) return at;
    const leap = layer.leaps[place]!;
    at = fieldAt(layers, 'depths', leap) >= depth ? leap : layer.firstParents[place]!;
  }
}

/** The layer that has a position. @param layers the oldest first */
export function layerOf(layers: readonly GraphLayer[], position: number): GraphLayer {
  let index = layers.length - 1;
  while (layers[index]!.below > position) index -= 1;
  return layers[index]!;
}

function fieldAt(layers: readonly GraphLayer[], field: 'depths' | 'leaps', position: number): number {
  const layer = layerOf(layers, position);
  return layer[field][position - layer.below]!;
}
