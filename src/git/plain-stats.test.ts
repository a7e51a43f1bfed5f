import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../test/support/git-fixture.ts';
import { Random } from '../../test/support/random-objects.ts';
import { statsOf, statsOfNew } from './diff-stats.ts';
import { plainStats } from './plain-stats.ts';

/** What git counts. */
function counted(git: (args: readonly string[]) => string, oid: string): { additions: number; deletions: number } {
  const text = git(['diff-tree', '--root', '-r', '--shortstat', '--find-renames', '--no-commit-id', oid]);
  const number = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0);
  return { additions: number('insertion'), deletions: number('deletion') };
}

test('lines are counted as git counts them, or left to it', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const random = (most: number) => Math.floor(Math.random() * most);
  const text = (): string =>
    `${Array.from({ length: random(8) }, () => 'abc\0'[random(random(9) === 0 ? 4 : 3)]).join('\n')}${random(2) ? '\n' : ''}`;
  let parent = commit({ a: 'a\nb\n', 'd/e': '' });
  let told = 0;
  for (let round = 0; round < 150; round += 1) {
    const files: Record<string, string> = {};
    for (const name of ['a', 'd/e', 'd/f'].slice(random(2), 1 + random(3))) files[name] = text();
    parent = commit(files, [parent]);
    const found = await plainStats(repo, parent);
    const wanted = counted(git, parent);
    if (found !== null) {
      told += 1;
      assert.deepEqual(found, wanted, git(['show', parent]));
    }
    assert.deepEqual(await statsOfNew(repo, parent), wanted);
  }
  assert.ok(told > 20 && told < 150, `${told} were told`);
});

/** Texts in which lines move, come again and again, and differ in many places. */
function edited(random: Random, lines: readonly string[]): string[] {
  const made = [...lines];
  for (let edits = random.below(12); edits > 0; edits -= 1) {
    const at = random.below(made.length + 1);
    const block = Array.from({ length: random.below(12) }, () =>
      random.pick(['', '', '}', `line ${random.below(60)}`]),
    );
    made.splice(
      at,
      random.below(random.pick([1, 4, 12])),
      ...random.pick([block, made.slice(at, at + random.below(20))]),
    );
  }
  return made;
}

test('lines of files that differ in many places are counted as git counts them, or left to it', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const random = new Random(7);
  let told = 0;
  let parent = commit({ file: '' });
  let lines: string[] = [];
  for (let round = 0; round < 250; round += 1) {
    lines = random.below(20) === 0 ? [] : edited(random, lines.slice(0, 400));
    while (lines.length < 60) lines.push(random.pick(['', '}', `line ${random.below(200)}`]));
    parent = commit({ file: `${lines.join('\n')}${random.pick(['\n', '\n', ''])}` }, [parent]);
    const found = await plainStats(repo, parent);
    if (found === null) continue;
    told += 1;
    assert.deepEqual(found, counted(git, parent), `round ${round}`);
  }
  assert.ok(told > 240, `${told} were told`);
});

test('attributes in commits change nothing, whatever git there is', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const first = commit({ '.gitattributes': '* -diff\n', file: 'a\n' });
  git(['update-ref', 'refs/heads/main', first]);
  const oid = commit({ '.gitattributes': '* -diff\n', file: 'b\n' }, [first]);
  assert.deepEqual(await plainStats(repo, oid), { additions: 1, deletions: 1 });
  assert.deepEqual((await statsOf(repo, [oid])).get(oid), { additions: 1, deletions: 1 });
});
