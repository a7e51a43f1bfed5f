import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { generateHistory } from '../../../test/support/history-questions.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { loadGraph } from './commit-graph.load.ts';
import { ancestorOfDepth, layerOf, rankFirstParents } from './first-parents.ts';

/** The positions on the way along first parents, step by step. */
function wayFrom(layers: readonly GraphLayer[], position: number): number[] {
  const way = [position];
  for (;;) {
    const layer = layerOf(layers, way.at(-1)!);
    const parent = layer.firstParent(way.at(-1)! - layer.below);
    if (parent < 0) return way;
    way.push(parent);
  }
}

test('a leap comes where single steps come, over layers as well', async (t) => {
  const shape = { seed: 5, graph: 'layers', indexed: 'no layer', skewed: true, commits: 200 } as const;
  const made = await generateHistory(gitFixture(t), shape);
  const { graph } = await loadGraph(made.dir);
  assert.ok(graph!.layers.length > 1);
  for (let position = 0; position < graph!.count; position += 1) {
    const way = wayFrom(graph!.layers, position);
    assert.equal(graph!.depth(position), way.length);
    for (const [nth, ancestor] of way.entries()) {
      assert.equal(ancestorOfDepth(graph!.layers, position, way.length - nth), ancestor);
    }
  }
});

/** A layer of which only first parents are known. */
function layerWith(firstParents: readonly number[]): { layer: GraphLayer; reads: () => number } {
  const count = firstParents.length;
  let reads = 0;
  const leaps = new Proxy(new Uint32Array(count), {
    get: (target, key) => {
      reads += 1;
      return Reflect.get(target, key);
    },
  });
  const layer = {
    below: 0,
    count,
    firstParents: Int32Array.from(firstParents),
    depths: new Uint32Array(count),
    leaps,
    firstParent: (index: number) => firstParents[index]!,
  } as unknown as GraphLayer;
  return { layer, reads: () => reads };
}

test('the end of a hundred thousand commits is a few leaps away, and a circle is damage', async () => {
  const many = 100_000;
  const { layer, reads } = layerWith(Array.from({ length: many }, (_, index) => index - 1));
  await rankFirstParents(layer, []);
  const before = reads();
  assert.equal(ancestorOfDepth([layer], many - 1, 1), 0);
  assert.ok(reads() - before < 80, `${reads() - before} reads`);
  await assert.rejects(rankFirstParents(layerWith([1, 2, 0]).layer, []), { code: 'corrupt' });
});
