import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitGraph, TimeSlice } from '../../commit-graph/index.ts';
import { GitError } from '../../common/index.ts';
import { ReachabilityCache } from './reachability-cache.ts';

/** A history made at random, of which each commit has up to three parents before it; its lists of parents are counted. */
class RandomGraph extends CommitGraph {
  looks = 0;
  readonly #parents: number[][];

  constructor(count: number) {
    super([{ below: 0, count, heldBytes: 0, hashBytes: 20, hasDates: true } as never]);
    let seed = count;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed % below;
    };
    this.#parents = Array.from({ length: count }, (_, commit) =>
      Array.from({ length: commit === 0 ? 0 : random(4) }, () => Math.max(0, commit - 1 - random(9))),
    );
  }

  override parents(commit: number): number[] {
    this.looks += 1;
    return this.#parents[commit]!;
  }

  override generation(commit: number): number {
    // Some have the same.
    return commit >> 1 === (commit - 1) >> 1 && this.#parents[commit]!.includes(commit - 1) ? commit : commit & ~1;
  }

  /** All that some commits reach. */
  reached(tips: readonly number[]): Set<number> {
    const reachable = new Set(tips);
    for (const commit of reachable) for (const parent of this.#parents[commit]!) reachable.add(parent);
    return reachable;
  }
}

/** Has to rest at every step. */
class Slow extends TimeSlice {
  override get isExpired(): boolean {
    return true;
  }

  override get isLate(): boolean {
    return true;
  }
}

const COUNT = 300;
const numbers = (from: number, step: number) =>
  Array.from({ length: Math.ceil((COUNT - from) / step) }, (_, n) => from + n * step);

test('what is reached is told whoever asks first and beside whom', async () => {
  const graph = new RandomGraph(COUNT);
  for (const tips of [[299], [280, 150], [10]]) {
    const expected = graph.reached(tips);
    const asked = [numbers(260, 3), numbers(120, 7), numbers(2, 5), numbers(0, 1), numbers(200, 2)];
    const filtered = await Promise.all(
      asked.map((commits, nth) =>
        ReachabilityCache.filter(graph, tips, commits, nth % 2 === 0 ? new Slow() : new TimeSlice()),
      ),
    );
    for (const [nth, commits] of asked.entries()) {
      assert.deepEqual(
        filtered[nth],
        commits.filter((commit) => expected.has(commit)),
        `${tips} ${nth}`,
      );
    }
  }
});

test('what was looked at is not looked at again, and no more than is asked for', async () => {
  const graph = new RandomGraph(COUNT);
  assert.deepEqual(await ReachabilityCache.filter(graph, [299, 298], [299], new TimeSlice()), [299]);
  assert.equal(graph.looks, 0);
  await ReachabilityCache.filter(graph, [298, 299], [250], new TimeSlice());
  assert.ok(graph.looks < 51);
  await ReachabilityCache.filter(graph, [298, 299], [0, 1], new TimeSlice());
  const { looks } = graph;
  assert.ok(looks <= COUNT);
  await ReachabilityCache.filter(graph, [298, 299], numbers(0, 1), new TimeSlice());
  assert.equal(graph.looks, looks);
});

test('a walk that is stopped is gone on with by the next', async () => {
  const graph = new RandomGraph(COUNT);
  class Stopped extends Slow {
    override yield(): Promise<void> {
      return Promise.reject(new GitError('aborted', 'stopped'));
    }
  }
  await assert.rejects(ReachabilityCache.filter(graph, [299], [0, 1], new Stopped()), { code: 'aborted' });
  const expected = graph.reached([299]);
  assert.deepEqual(
    await ReachabilityCache.filter(graph, [299], numbers(0, 1), new TimeSlice()),
    numbers(0, 1).filter((commit) => expected.has(commit)),
  );
});

test('a history wider than any that people make is not remembered', async () => {
  const last = 30_000;
  class Wide extends RandomGraph {
    override parents(commit: number): number[] {
      this.looks += 1;
      return commit === last ? Array.from({ length: last }, (_, parent) => parent) : [];
    }

    override generation(commit: number): number {
      return commit === last ? 3 : commit === 0 ? 2 : 1;
    }
  }
  const graph = new Wide(last + 1);
  for (const looks of [1, 2]) {
    assert.deepEqual(await ReachabilityCache.filter(graph, [last], [0], new TimeSlice()), [0]);
    assert.equal(graph.looks, looks);
  }
});
