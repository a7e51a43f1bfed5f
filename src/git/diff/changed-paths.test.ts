import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { pathsBetween } from '../trees/index.ts';
import { changedPaths } from './changed-paths.ts';

test('changed paths are those that git names, in its order', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const states: Record<string, string>[] = [
    { a: '1', 'b/c': '1', 'b/d/e': '1', 'b-x': '1', 'z/ä': '1' },
    { a: '2', 'b/c': '1', 'b/d/e': '2', 'b-x': '2', 'z/ä': '1', new: '1' },
    { 'a/now/a/folder': '1', b: 'now a file', 'b-x': '1' },
    { a: '1' },
    { a: '1', 'deep/er/and/deeper/still': '1', 'deep/file': '1' },
  ];
  const ids = states.map((files) => commit(files));
  git(['update-index', '--add', '--cacheinfo', `160000,${ids[0]},module`]);
  git(['update-index', '--add', '--cacheinfo', `100755,${git(['hash-object', '-w', '--stdin'], '1')},a`]);
  ids.push(git(['commit-tree', git(['write-tree']), '-m', 'a submodule and a mode']));
  for (const from of ids) {
    for (const to of ids) {
      const named = git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to])
        .split('\0')
        .filter((path) => path !== '');
      assert.deepEqual(await changedPaths(repo, from, to), named);
      assert.deepEqual((await pathsBetween(repo, from, to))?.length, named.length);
    }
  }
});

test('many folders are left to git, and what is missing is an error of it', async (t) => {
  const { repo, commit } = gitFixture(t);
  const many = commit(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`d${at}/x`, '1'])));
  const one = commit({ x: '1' });
  assert.equal(await pathsBetween(repo, many, one), null);
  assert.equal((await changedPaths(repo, many, one)).length, 151);
  await assert.rejects(changedPaths(repo, one, 'f'.repeat(40)), { code: 'failed' });
});
