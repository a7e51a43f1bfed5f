import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { decodeBytes, GitError } from '../common/index.ts';
import { entryAt, listTree, treeOf } from './git.tree.ts';

const files = { 'a/b/c': '1', 'a/b-c': '2', 'a.txt': '3', a0: '4', '-h': '5', 'q"\n\t': '6', 'é/日': '7' };

test('entries at paths are what git ls-tree shows there', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const oid = commit(files);
  const tree = git(['rev-parse', `${oid}^{tree}`]);
  for (const path of [...Object.keys(files), 'a', 'a/b', 'é']) {
    const entry = await entryAt(repo, oid, path);
    assert.equal(entry?.oid, git(['rev-parse', `${oid}:${path}`]), path);
    assert.deepEqual(await entryAt(repo, tree, path), entry);
  }
  assert.equal((await entryAt(repo, oid, 'a/'))?.type, 'tree');
  assert.deepEqual(await entryAt(repo, oid, ''), { mode: '040000', name: '', oid: tree, type: 'tree' });
  for (const path of ['none', 'a/none', 'a0/x', 'a0/', '/a', 'a//b', '..', 'a/..', '.', 'a/./b', 'A', '\0']) {
    assert.equal(await entryAt(repo, oid, path), null, path);
  }
  assert.equal(await entryAt(repo, '1'.repeat(40), 'a'), null);
  assert.equal(await treeOf(repo, git(['rev-parse', `${oid}:a0`])), null);
});

test('a folder is listed in the order of git, on its own and with all below it', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const oid = commit(files);
  for (const [path, recursive] of [
    ['', false],
    ['', true],
    ['a', true],
    ['a/', false],
  ] as const) {
    const listed = await Array.fromAsync(listTree(repo, oid, path, { recursive }));
    const where = path === '' ? [] : ['--', 'a/'];
    const lines = git(['ls-tree', '-z', ...(recursive ? ['-r', '-t'] : []), oid, ...where])
      .split('\0')
      .slice(0, -1);
    // Git also names the folder itself where it is asked for what is in it.
    const expected = lines.filter((line) => path === '' || !line.endsWith('\ta'));
    const own = listed.map((entry) => `${entry.mode} ${entry.type} ${entry.oid}\t${entry.path}`);
    assert.deepEqual(own, expected);
  }
  for (const path of ['none', 'a0', '..']) {
    await assert.rejects(
      listTree(repo, oid, path).next(),
      (error) => error instanceof GitError && error.code === 'not_found',
    );
  }
});

test('symbolic links and submodules are entries and lead nowhere; names in no encoding keep their bytes', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const inner = commit({ x: '1' });
  const blob = git(['hash-object', '-w', '--stdin'], '/etc');
  const odd = Buffer.from([0x66, 0xff, 0x90]);
  const lines = [`120000 blob ${blob}\tlink\0`, `160000 commit ${inner}\tsub\0`, `100644 blob ${blob}\t`];
  const input = Buffer.concat([Buffer.from(lines.join('')), odd, Buffer.from([0])]);
  const tree = git(['mktree', '-z'], input);
  assert.deepEqual(await entryAt(repo, tree, 'link'), { mode: '120000', name: 'link', oid: blob, type: 'blob' });
  assert.deepEqual(await entryAt(repo, tree, 'sub'), { mode: '160000', name: 'sub', oid: inner, type: 'commit' });
  assert.equal(await entryAt(repo, tree, 'link/passwd'), null);
  assert.equal(await entryAt(repo, tree, 'sub/x'), null);
  const all = await Array.fromAsync(listTree(repo, tree, '', { recursive: true }));
  assert.deepEqual(new Set(all.map((entry) => entry.name)), new Set(['link', 'sub', decodeBytes(odd)]));
  assert.equal((await entryAt(repo, tree, decodeBytes(odd)))?.oid, blob);
});

test('a tree that unfolds without end costs what the caller takes', async (t) => {
  const { repo, git } = gitFixture(t);
  let oid = git(['hash-object', '-w', '--stdin'], 'x');
  for (let level = 0; level < 12; level += 1) {
    const kind = level === 0 ? '100644 blob' : '040000 tree';
    oid = git(['mktree'], Array.from({ length: 10 }, (_, i) => `${kind} ${oid}\tn${i}\n`).join(''));
  }
  let taken = 0;
  for await (const entry of listTree(repo, oid, '', { recursive: true })) {
    assert.match(entry.path, /^n\d(?:\/n\d)*$/);
    taken += 1;
    if (taken === 1_000) break;
  }
  assert.equal(taken, 1_000);
});
