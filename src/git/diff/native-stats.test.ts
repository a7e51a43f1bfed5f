import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { statsOf, statsOfNew } from './diff-stats.ts';
import { nativeStats } from './native-stats.ts';

/** What git counts. */
function counted(git: (args: readonly string[]) => string, oid: string): { additions: number; deletions: number } {
  const text = git(['diff-tree', '--root', '-r', '--shortstat', '--find-renames', '--no-commit-id', oid]);
  const number = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0);
  return { additions: number('insertion'), deletions: number('deletion') };
}

test('lines are counted as git counts them, or left to it', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const random = (limit: number) => Math.floor(Math.random() * limit);
  const text = (): string =>
    `${Array.from({ length: random(8) }, () => 'abc\0'[random(random(9) === 0 ? 4 : 3)]).join('\n')}${random(2) ? '\n' : ''}`;
  let parent = commit({ a: 'a\nb\n', 'd/e': '' });
  let countedCommits = 0;
  for (let round = 0; round < 60; round += 1) {
    const files: Record<string, string> = {};
    for (const name of ['a', 'd/e', 'd/f'].slice(random(2), 1 + random(3))) files[name] = text();
    parent = commit(files, [parent]);
    const stats = await nativeStats(repo, parent);
    const expected = counted(git, parent);
    if (stats !== null) {
      countedCommits += 1;
      assert.deepEqual(stats, expected, git(['show', parent]));
    }
    assert.deepEqual(await statsOfNew(repo, parent), expected);
  }
  assert.ok(countedCommits > 5 && countedCommits < 60, `${countedCommits} were told`);
});

test('attributes in commits change nothing, whatever git there is', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const first = commit({ '.gitattributes': '* -diff\n', file: 'a\n' });
  git(['update-ref', 'refs/heads/main', first]);
  const oid = commit({ '.gitattributes': '* -diff\n', file: 'b\n' }, [first]);
  assert.deepEqual(await nativeStats(repo, oid), { additions: 1, deletions: 1 });
  assert.deepEqual((await statsOf(repo, [oid])).get(oid), { additions: 1, deletions: 1 });
});
