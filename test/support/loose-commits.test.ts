import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from './git-fixture.ts';
import { LooseCommits } from './loose-commits.ts';

const REST = 'author A <a@example.com> 1 +0200\ncommitter B <b@example.com> 2 +0000\n\nWhy\n';

for (const objectFormat of ['sha1', 'sha256']) {
  test(`commits are those that git makes of the same files, ${objectFormat}`, (t) => {
    const { dir, git } = gitFixture(t, { objectFormat });
    const loose = new LooseCommits(dir);
    const ref = 'refs/heads/a/b';
    const first = loose.write({ ref, parents: [], rest: REST, files: { 'a.b': '1', 'a/b': '2', a0: 'ä', c: '' } })!;
    const second = loose.write({
      ref,
      parents: [first],
      rest: REST,
      files: { a: 'file now', 'c/d/e': '3', 'a.b': null },
    })!;
    assert.equal(git(['rev-parse', ref]), second);
    assert.equal(git(['rev-parse', `${second}^`]), first);
    assert.equal(git(['fsck', '--strict', '--no-dangling']), '');
    assert.deepEqual(git(['ls-tree', '-r', '--name-only', first]).split('\n'), ['a.b', 'a/b', 'a0', 'c']);
    assert.deepEqual(git(['ls-tree', '-r', '--name-only', second]).split('\n'), ['a', 'a0', 'c/d/e']);
    const tree = git(['rev-parse', `${second}^{tree}`]);
    assert.equal(git(['mktree'], `${git(['ls-tree', second])}\n`), tree);
    assert.equal(git(['cat-file', 'commit', second]), `tree ${tree}\nparent ${first}\n${REST.trimEnd()}`);
    const merge = loose.write({ parents: [second, first], whole: true, rest: REST, files: { z: 'z' } })!;
    assert.equal(git(['log', '-1', '--format=%P', merge]), `${second} ${first}`);
    assert.equal(git(['ls-tree', '-r', '--name-only', merge]), 'z');
    assert.equal(git(['rev-parse', ref]), second);
    assert.equal(loose.write({ ref, parents: [tree], rest: REST, files: {} }), undefined);
  });
}
