import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { makeTreeBomb } from '../../../test/support/tree-bomb.ts';
import { type TreeSizeOptions, treeSize } from './tree-size.ts';

const limits = { entries: 1_000_000, bytes: 1_000_000 };
const files = { 'a.txt': '12345', 'docs/b.txt': '123', 'docs/deep/c.txt': '12', 'docs/deep/d.txt': '1234567' };

test('every path of a tree counts', async (t) => {
  const { repo, commit } = gitFixture(t);
  const oid = commit(files);
  const size = (options: TreeSizeOptions = {}) => treeSize(repo, oid, limits, options);
  assert.deepEqual(await size(), { entries: 6, bytes: 17, largest: 7, pointers: [], exceeded: null });
  assert.deepEqual(await size({ path: 'docs' }), { entries: 4, bytes: 12, largest: 7, pointers: [], exceeded: null });
  assert.deepEqual((await size({ path: 'a.txt' })).bytes, 5);
  await assert.rejects(size({ path: 'nope' }), { code: 'not_found' });
});

test('what is left out does not count, wherever the counting begins', async (t) => {
  const { repo, commit } = gitFixture(t);
  const oid = commit({ ...files, 'other/deep/c.txt': '12', 'other/deep/d.txt': '1234567' });
  const counted = async (options: TreeSizeOptions) => {
    const { entries, bytes } = await treeSize(repo, oid, limits, options);
    return [entries, bytes];
  };
  assert.deepEqual(await counted({}), [10, 26]);
  // The same folder stands at another path, where nothing is left out of it.
  assert.deepEqual(await counted({ exclude: ['docs/deep/d.txt'] }), [9, 19]);
  assert.deepEqual(await counted({ exclude: ['docs', 'other/deep'] }), [2, 5]);
  assert.deepEqual(await counted({ path: 'docs', exclude: ['docs/deep'] }), [1, 3]);
  assert.deepEqual(await counted({ path: 'docs/deep', exclude: ['docs'] }), [0, 0]);
  assert.deepEqual(await counted({ path: 'a.txt', exclude: ['a.txt'] }), [0, 0]);
  assert.deepEqual(await counted({ exclude: ['nope', '../a', '', 'doc', 'a.txt/x'] }), [10, 26]);
});

test('ten thousand million files of a few objects are counted without being walked', async (t) => {
  const { repo, git } = gitFixture(t);
  const bomb = makeTreeBomb(git);
  const { entries, exceeded } = await treeSize(repo, bomb, limits);
  assert.deepEqual([entries, exceeded], [11_111_111_110, 'entries']);
  assert.equal((await treeSize(repo, bomb, { ...limits, entries: 1e12 })).exceeded, 'bytes');
  assert.equal((await treeSize(repo, bomb, limits, { path: 'd0/d1/d2/d3/d4/d5/d6' })).entries, 1_110);
  const but = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8'];
  assert.equal((await treeSize(repo, bomb, limits, { exclude: but })).exceeded, 'entries');
});

test('folders that are nested too deeply for git are refused', async (t) => {
  const { repo, commit } = gitFixture(t);
  const exceeded = async (depth: number) => {
    const oid = commit({ [`${'d/'.repeat(depth)}f`]: '' });
    return (await treeSize(repo, oid, limits)).exceeded;
  };
  assert.equal(await exceeded(2_000), null);
  assert.equal(await exceeded(2_100), 'depth');
});

test('LFS pointers are told with the number of their paths', async (t) => {
  const { repo, commit } = gitFixture(t);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 500\n`;
  const oid = commit({ 'a.bin': pointer, 'x/b.bin': pointer, 'y/b.bin': pointer, 'c.txt': pointer.slice(1) });
  const { pointers } = await treeSize(repo, oid, limits, { pointers: true });
  assert.deepEqual(pointers, [{ oid: 'a'.repeat(64), size: 500, count: 3 }]);
});

test('a tree that lacks a file is damaged', async (t) => {
  const { repo, git } = gitFixture(t);
  const tree = git(['mktree', '--missing'], `100644 blob ${'1'.repeat(40)}\ta\n`);
  await assert.rejects(treeSize(repo, tree, limits), { code: 'corrupt' });
});

test('a tree that takes too much of a processor is given up, and one that takes long by the clock is not', async (t) => {
  const { repo, commit } = gitFixture(t);
  const first = commit({ 'a/b/c/d': 'x', 'a/b/e': 'x' });
  const second = commit({ 'a/b/c/d': 'y', 'a/b/e': 'y' });
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 60_000));
  assert.equal((await treeSize(repo, first, limits, {}, () => 7)).entries, 5);
  let taken = 0;
  await assert.rejects(
    treeSize(repo, second, limits, {}, () => (taken += 15_000)),
    { code: 'timeout' },
  );
});
