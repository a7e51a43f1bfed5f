import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askWithAndWithoutGit, generateChanges } from '../../../test/support/diff-questions.ts';
import { gitChildren, gitFixture } from '../../../test/support/git-fixture.ts';
import { commitDiff, DEFAULT_DIFF_LIMITS, diffTrees } from './diff.ts';
import { commitStats } from './diff-stats.ts';
import { nativeDiff } from './native-diff.ts';

for (const seed of [1, 2, 3]) {
  test(`what is found without git is what git says, history ${seed}`, async (t) => {
    const fixture = gitFixture(t);
    const oids = generateChanges(fixture, { seed, commits: 40 });
    const { differing, compared } = await askWithAndWithoutGit(fixture, oids, seed, 80);
    assert.deepEqual(differing, []);
    assert.ok(compared > 20 && compared < 80, `${compared} were found`);
  });
}

test('most diffs and stats start no process', async (t) => {
  const { repo, dir, commit } = gitFixture(t);
  const first = commit({ a: '1\n', 'd/b': '2\n' });
  const second = commit({ a: '1\n2\n', 'd/b': '3\n', 'd/c': 'x' }, [first]);
  assert.deepEqual(
    (await commitDiff(repo, first)).files.map(({ diff }) => diff),
    ['@@ -0,0 +1 @@\n+1\n', '@@ -0,0 +1 @@\n+2\n'],
  );
  const { files, changedFiles, overflow } = await commitDiff(repo, second);
  assert.deepEqual([files.length, changedFiles, overflow], [3, 3, false]);
  assert.deepEqual(
    await diffTrees(repo, null, second),
    await diffTrees(repo, '4b825dc642cb6eb9a060e54bf8d69288fbee4904', second),
  );
  assert.deepEqual(await commitStats(repo, second), { additions: 3, deletions: 1 });
  assert.deepEqual(gitChildren(dir), []);
});

test('git is asked where files may have been renamed, or became something else, or are many or large', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const plain = async (oid: string) =>
    await nativeDiff(repo, (await repo.objects.commit(oid))!.parents[0] ?? null, oid, DEFAULT_DIFF_LIMITS);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, `${n}\n`]));
  const first = commit({ a: '1\n', b: '2\n' });
  assert.equal(await plain(commit({ b: '2\n', c: '1\n' }, [first])), null);
  assert.notEqual(await plain(commit({ b: '2\n' }, [first])), null);
  assert.notEqual(await plain(commit(many(50))), null);
  assert.equal(await plain(commit(many(51))), null);
  const half = 'x'.repeat(250_000);
  const large = commit({ large: `${half}\n` });
  assert.notEqual(await plain(large), null);
  assert.equal(await plain(commit({ large: `y${half}\n` }, [large])), null);
  const link = git(['mktree'], `120000 blob ${git(['hash-object', '-w', '--stdin'], 'b')}\ta\n`);
  const linked = git(['commit-tree', link, '-m', 'link'], '');
  const file = commit({ a: 'b' }, [linked]);
  assert.equal(await plain(file), null);
  assert.deepEqual(
    (await commitDiff(repo, file)).files.map(({ deletedFile, newFile }) => [deletedFile, newFile]),
    [
      [true, false],
      [false, true],
    ],
  );
});

test('a repository with longer ids is read as well', async (t) => {
  const { repo, commit } = gitFixture(t, { objectFormat: 'sha256' });
  const first = commit({ a: '1\n', 'd/b': '2\n' });
  const second = commit({ a: '1\n2\n', 'd/b': '3\n' }, [first]);
  for (const [from, to] of [
    [null, first],
    [first, second],
  ] as const) {
    const diff = await nativeDiff(repo, from, to, DEFAULT_DIFF_LIMITS);
    assert.deepEqual(diff, await diffTrees(repo, from, to, { onlyGit: true }));
  }
});

test('modes that git does not tell from each other are no change', async (t) => {
  const { repo, git } = gitFixture(t);
  const blob = git(['hash-object', '-w', '--stdin'], 'x\n');
  const commitOf = (mode: string, parents: readonly string[] = []) => {
    const entry = Buffer.concat([Buffer.from(`${mode} a\0`), Buffer.from(blob, 'hex')]);
    const tree = git(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], entry);
    return git(['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', 'x']);
  };
  const first = commitOf('100664');
  const second = commitOf('100644', [first]);
  const third = commitOf('100775', [second]);
  for (const [from, to] of [
    [null, first],
    [first, second],
    [second, third],
  ] as const) {
    const diff = await nativeDiff(repo, from, to, DEFAULT_DIFF_LIMITS);
    assert.deepEqual(diff, await diffTrees(repo, from, to, { onlyGit: true }));
  }
});
