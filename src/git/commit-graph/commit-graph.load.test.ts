import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type GitFixture, gitFixture, temporaryFolder } from '../../../test/support/git-fixture.ts';
import { lastCommitOf } from '../history/index.ts';
import { GraphLayer } from './commit-graph.layer.ts';
import { loadGraph } from './commit-graph.load.ts';

const CHAIN = 'objects/info/commit-graphs';

function writeGraph(git: GitFixture['git'], ...oids: string[]): void {
  git(['commit-graph', 'write', '--stdin-commits', '--changed-paths', '--split=no-merge'], `${oids.join('\n')}\n`);
}

function layerFiles(dir: string): string[] {
  return readdirSync(join(dir, CHAIN))
    .filter((name) => name.endsWith('.graph'))
    .map((name) => join(dir, CHAIN, name));
}

test('the layers of a chain are read, and a new one is noticed', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const root = commit({ a: '1' });
  const next = commit({ a: '2' }, [root]);
  const none = await loadGraph(dir);
  assert.equal(none.graph, null);
  writeGraph(git, root);
  assert.equal(none.isCurrent(), false);
  const first = await loadGraph(dir);
  assert.deepEqual([first.graph?.count, first.graph?.find(root), first.graph?.find(next)], [1, 0, -1]);
  writeGraph(git, next);
  assert.equal(first.isCurrent(), false);
  const { graph } = await loadGraph(dir);
  assert.deepEqual([graph?.count, graph?.oid(1), graph?.parents(1)], [2, next, [0]]);
  assert.deepEqual([graph?.tree(1), graph?.date(1)], [git(['rev-parse', `${next}^{tree}`]), 1_700_000_100]);
  assert.ok(graph!.generation(1) > graph!.generation(0));
  assert.equal(graph?.find('f'.repeat(64)), -1);
});

test('a graph in one file is read, and one that is borrowed', async (t) => {
  const { dir, git, commit, pool } = gitFixture(t);
  const root = commit({ a: '1' });
  git(['commit-graph', 'write', '--stdin-commits', '--changed-paths'], `${root}\n`);
  assert.equal((await loadGraph(dir)).graph?.count, 1);
  const other = join(temporaryFolder(t), 'other.git');
  git(['init', '-q', '--bare', other]);
  mkdirSync(join(other, 'objects/info'), { recursive: true });
  writeFileSync(join(other, 'objects/info/alternates'), `${join(dir, 'objects')}\n`);
  assert.equal((await loadGraph(other)).graph?.find(root), 0);
  assert.equal(await lastCommitOf(pool.get('other', other), root, 'a'), root);
});

test('a graph of SHA-256 is read', async (t) => {
  const { dir, git, commit, repo } = gitFixture(t, { objectFormat: 'sha256' });
  const root = commit({ a: '1', b: '1' });
  const next = commit({ a: '2', b: '1' }, [root]);
  writeGraph(git, next);
  assert.equal((await loadGraph(dir)).graph?.oid(0).length, 64);
  assert.deepEqual([await lastCommitOf(repo, next, 'a'), await lastCommitOf(repo, next, 'b')], [next, root]);
});

test('a graph is read wherever its bytes lie in memory', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const root = commit({ a: '1' });
  const next = commit({ a: '2' }, [root]);
  writeGraph(git, next);
  const [file] = layerFiles(dir);
  const bytes = readFileSync(file!);
  const of = (layer: GraphLayer) =>
    [root, next].map((oid) => {
      const index = layer.find(Buffer.from(oid, 'hex'));
      return [layer.tree(index), layer.date(index), layer.correctedDate(index), layer.parents(index).length];
    });
  const trees = [root, next].map((oid) => git(['rev-parse', `${oid}^{tree}`]));
  for (const offset of [0, 1, 2, 3]) {
    const moved = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
    assert.deepEqual(of(new GraphLayer(moved, 0, dir)), [
      [trees[0], 1_700_000_100, 1_700_000_100, 0],
      [trees[1], 1_700_000_100, 1_700_000_101, 1],
    ]);
  }
});

test('a damaged graph is not believed, wherever it is damaged, and answers are right without it', async (t) => {
  const { dir, git, commit, pool } = gitFixture(t);
  const root = commit({ a: '1', b: '1' });
  const next = commit({ a: '2', b: '1' }, [root]);
  writeGraph(git, next);
  const [file] = layerFiles(dir);
  const good = readFileSync(file!);
  rmSync(file!);
  const damages: Record<string, Buffer | null> = {
    'a letter': Buffer.concat([good.subarray(0, 1_200), Buffer.from([good[1_200]! ^ 1]), good.subarray(1_201)]),
    'cut short': good.subarray(0, good.length - 7),
    empty: Buffer.alloc(0),
    header: Buffer.concat([Buffer.from('XXXX'), good.subarray(4)]),
    gone: null,
  };
  for (const [name, bytes] of Object.entries(damages)) {
    if (bytes !== null) writeFileSync(file!, bytes);
    assert.equal((await loadGraph(dir)).state, 'damaged', name);
    const repo = pool.get(name, dir);
    assert.deepEqual([await lastCommitOf(repo, next, 'a'), await lastCommitOf(repo, next, 'b')], [next, root], name);
    if (bytes !== null) rmSync(file!);
  }
  writeFileSync(file!, good);
  assert.equal((await loadGraph(dir)).state, 'good');
});

test('a history that is cut off is left to git', async (t) => {
  const { dir, git, commit, repo } = gitFixture(t);
  const root = commit({ a: '1', b: '1' });
  const next = commit({ a: '2', b: '1' }, [root]);
  writeGraph(git, next);
  writeFileSync(join(dir, 'shallow'), `${next}\n`);
  assert.equal((await loadGraph(dir)).state, 'unfit');
  assert.equal(await lastCommitOf(repo, next, 'b'), next);
});
