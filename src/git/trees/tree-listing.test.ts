import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import type { Repository } from '../repository/index.ts';
import { listAll, listFolder } from './tree-listing.ts';

const folderOf = async (repo: Repository, tree: string) => listFolder((await repo.objects.treeObject(tree))!);
const lists = [folderOf, listAll];

test('folders come before files, on one level or on all', async (t) => {
  const { commit, repo, git } = gitFixture(t);
  const oid = commit({ 'a.txt': '1', 'b/x': '2', 'b/c/y': '3', 'z\nnew line': '4', '-h': '5' });
  const tree = git(['rev-parse', `${oid}^{tree}`]);
  const paths = async (list: (typeof lists)[number]) => (await list(repo, tree)).slice(0).map(({ path }) => path);
  assert.deepEqual(await paths(folderOf), ['b', '-h', 'a.txt', 'z\nnew line']);
  for (let from = 0; from < 6; from += 1) {
    for (let to = from; to < 6; to += 1) {
      const folder = await folderOf(repo, tree);
      const part = folder.slice(from, to).map(({ path }) => path);
      assert.deepEqual(part, ['b', '-h', 'a.txt', 'z\nnew line'].slice(from, to));
      assert.equal(folder.length, 4);
    }
  }
  assert.deepEqual(await paths(listAll), ['b', 'b/c', '-h', 'a.txt', 'b/c/y', 'b/x', 'z\nnew line']);
  const entry = (await listAll(repo, tree)).find(({ path }) => path === 'b/c/y');
  assert.deepEqual(entry, {
    mode: '100644',
    oid: git(['hash-object', '--stdin'], '3'),
    type: 'blob',
    path: 'b/c/y',
    name: 'y',
  });
});

test('names that are no UTF-8 are kept apart', async (t) => {
  const { git, repo } = gitFixture(t);
  const blob = git(['hash-object', '-w', '--stdin'], 'x');
  const name = (byte: number) => Buffer.concat([Buffer.from(`100644 blob ${blob}\tn`), Buffer.from([byte, 0])]);
  const tree = git(['mktree', '-z'], Buffer.concat([name(0xe4), name(0xe5)]));
  for (const list of lists) {
    const entries = await list(repo, tree);
    assert.deepEqual(
      entries.slice(0).map(({ path }) => path),
      ['n\udce4', 'n\udce5'],
    );
  }
});

test('a listing of endlessly nested trees is refused', async (t) => {
  const { git, repo } = gitFixture(t);
  const blob = git(['hash-object', '-w', '--stdin'], 'x');
  let tree = git(['mktree'], Array.from({ length: 100 }, (_, index) => `100644 blob ${blob}\tf${index}`).join('\n'));
  for (let level = 0; level < 3; level += 1) {
    const above = Array.from({ length: 20 }, (_, index) => `040000 tree ${tree}\td${index}`).join('\n');
    tree = git(['mktree'], above);
  }
  await assert.rejects(listAll(repo, tree), { code: 'output_too_large' });
  assert.equal((await folderOf(repo, tree)).length, 20);
});

test('what is no tree is not found', async (t) => {
  const { commit, repo } = gitFixture(t);
  const oid = commit({ a: '1' });
  await assert.rejects(listAll(repo, oid), { code: 'not_found' });
  await assert.rejects(listAll(repo, 'a'.repeat(40)), { code: 'not_found' });
});
