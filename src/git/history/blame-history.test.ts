import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { writeWholeGraph } from '../commit-graph/index.ts';
import { fileHistory } from './file-history.ts';
import { blame } from './git.blame.ts';

const LINE = /^[0-9a-f]{40} \d+ \d+/;
const git = new GitRepository();
after(() => git.close());

const text = (name: string, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, nth) => `${changed[nth] ?? `${name} ${nth}`}\n`).join('');

/** Asks the server and git; what the path indexes tell is used where `within` says so. */
async function assertAsGit(commit: string, path: string, within: boolean): Promise<void> {
  const { ranges } = await blame(git.repo, commit, path);
  const printed = git.git('blame', '--line-porcelain', commit, '--', path).split('\n');
  const expected = printed.filter((line) => LINE.test(line)).map((line) => line.slice(0, 40));
  assert.deepEqual(
    ranges.flatMap(({ oid, lines }) => lines.map(() => oid)),
    expected,
    path,
  );
  assert.equal((await fileHistory(git.repo.history, commit, path)) !== undefined, within, path);
}

test('lines are followed over names, merges, second beginnings and what came back', async () => {
  git.write('first', text('a'));
  git.write('gone', text('b'));
  git.write('plain', text('c'));
  git.commit('root');
  git.write('first', text('a', { 3: 'three' }));
  git.commit('change');
  git.git('mv', 'first', 'second');
  git.write('second', text('a', { 3: 'three', 5: 'five' }));
  git.commit('rename and change');
  git.git('rm', '--quiet', 'gone');
  git.commit('remove');
  git.write('sub/"third" \u00e4', text('a', { 3: 'three', 5: 'five', 7: 'seven' }));
  git.git('rm', '--quiet', 'second');
  git.commit('another name, which git puts into quotes');
  git.git('mv', 'sub/"third" \u00e4', 'fourth');
  git.write('fourth', text('a', { 3: 'three', 5: 'five', 7: 'seven', 9: 'nine' }));
  git.write('gone', text('b', { 2: 'came back' }));
  git.commit('a plain name again, and what was gone');
  git.git('checkout', '--quiet', '-b', 'side');
  git.write('plain', text('c', { 1: 'side' }));
  git.write('both', text('d', { 4: 'side' }));
  git.commit('side');
  git.git('checkout', '--quiet', 'main');
  git.write('plain', text('c', { 18: 'main' }));
  git.write('both', text('d'));
  git.commit('main');
  git.merge('side', '-X', 'ours');
  git.write('plain', text('c', { 1: 'side', 9: 'later', 18: 'main' }));
  git.git('update-index', '--add', '--chmod=+x', 'both');
  git.commit('later, and a mode');
  await writeWholeGraph(git.repo.dir);
  const commits = git.lines('rev-list', 'main');
  for (const path of ['fourth', 'gone', 'plain', 'both']) await assertAsGit(commits[0]!, path, true);
  for (const commit of commits) {
    for (const path of git.git('ls-tree', '-rz', '--name-only', commit).split('\0').filter(Boolean)) {
      await assertAsGit(commit, path, true);
    }
  }
});

test('git is asked for everything where there is no room for the names of commits', async () => {
  const [commit] = git.lines('rev-list', '-1', 'main');
  const whole = await blame(git.repo, commit!, 'plain');
  const { TMPDIR } = process.env;
  process.env.TMPDIR = join(git.repo.dir, 'no-such-folder');
  try {
    // Of some lines it was not asked before.
    const { ranges } = await blame(git.repo, commit!, 'plain', { start: 2, end: 2 });
    assert.deepEqual(
      ranges.map(({ oid }) => oid),
      whole.ranges.slice(1, 2).map(({ oid }) => oid),
    );
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});
