import type { CommitGraph } from '../commit-graph.ts';

/**
 * A numbering of commits, by position: the commits from which a commit is reached along first parents have the numbers
 * from its entry in `starts` up to its entry in `ends`.
 */
export interface FirstParentOrder {
  starts: Int32Array;
  ends: Int32Array;
}

const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

/**
 * Numbers the commits of a graph, in shared memory.
 * @throws GitError `corrupt` if a parent is outside the graph
 */
export function orderByFirstParents(graph: CommitGraph): FirstParentOrder {
  const { count } = graph;
  const order = { starts: shared(count), ends: shared(count) };
  const parents = new Int32Array(count);
  const sizes = new Int32Array(count).fill(1);
  for (const layer of graph.layers) {
    for (let index = 0; index < layer.count; index += 1) parents[layer.below + index] = layer.firstParent(index);
  }
  const byDepth = rootsFirst(graph);
  for (let nth = count - 1; nth >= 0; nth -= 1) {
    const parent = parents[byDepth[nth]!]!;
    if (parent >= 0) sizes[parent]! += sizes[byDepth[nth]!]!;
  }
  // Next number for a child of each commit, and for root commits.
  const next = new Int32Array(count);
  let nextRoot = 0;
  for (const position of byDepth) {
    const parent = parents[position]!;
    const size = sizes[position]!;
    const start = parent < 0 ? nextRoot : next[parent]!;
    if (parent < 0) nextRoot += size;
    else next[parent]! += size;
    next[position] = start + 1;
    order.starts[position] = start;
    order.ends[position] = start + size - 1;
  }
  return order;
}

/** Positions ordered by the number of ancestors along first parents. */
function rootsFirst({ count, layers }: CommitGraph): Int32Array {
  const begins = new Int32Array(count + 2);
  for (const { depths } of layers) for (const depth of depths) begins[depth + 1]! += 1;
  for (let depth = 1; depth < begins.length; depth += 1) begins[depth]! += begins[depth - 1]!;
  const positions = new Int32Array(count);
  for (const { depths, below } of layers) {
    for (let index = 0; index < depths.length; index += 1) {
      const depth = depths[index]!;
      positions[begins[depth]!] = below + index;
      begins[depth]! += 1;
    }
  }
  return positions;
}
