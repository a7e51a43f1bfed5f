import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { loadGraph } from './commit-graph.load.ts';
import { murmur3, PathFilter } from './path-filter.ts';

test('hashes as MurmurHash3 does', () => {
  const hash = (text: string, seed = 0) => murmur3(seed, Buffer.from(text));
  assert.equal(hash(''), 0);
  assert.equal(hash('', 1), 0x514e28b7);
  assert.equal(hash('Hello world!'), 0x627b0c2c);
  assert.equal(hash('The quick brown fox jumps over the lazy dog'), 0x2e4ff723);
  assert.notEqual(murmur3(0, Buffer.from([200])), murmur3(0, Buffer.from([200]), true));
});

test('a filter knows the paths and folders that a commit changed, and few others', async (t) => {
  const { dir, git, commit } = gitFixture(t);
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`many/${at}`, '1']));
  const files = { 'dir/sub/f': '1', 'k\u00fc/\u00f6l': '1' };
  const root = commit(files);
  const same = commit(files, [root]);
  const large = commit({ ...files, ...many }, [same]);
  git(['commit-graph', 'write', '--stdin-commits', '--changed-paths'], `${large}\n`);
  const graph = (await loadGraph(dir)).graph!;
  const may = (oid: string, path: string) => graph.mayChange(graph.find(oid), new PathFilter(Buffer.from(path)));
  for (const path of ['dir', 'dir/sub', 'dir/sub/f', 'k\u00fc', 'k\u00fc/\u00f6l']) {
    assert.equal(may(root, path), true, path);
    assert.equal(may(same, path), false, path);
    assert.equal(may(large, path), true, path);
  }
  const others = Array.from({ length: 200 }, (_, at) => may(root, `dir/${at}`));
  assert.ok(others.filter(Boolean).length < 20);
});
