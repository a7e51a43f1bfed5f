import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { lastCommitOf, lastCommitsOf } from './last-commit.ts';

let git: GitRepository;
let commits: string[];
const paths = ['a', 'b', 'dir', 'dir/c', 'dir/sub/d', 'gone', 'side', 'never', '-x', 'dir/*'];

before(() => {
  git = new GitRepository();
  git.write('a', '0');
  git.write('gone', '0');
  git.write('-x', '0');
  git.write('dir/*', '0');
  git.commit('root');
  git.write('dir/c', '0');
  git.write('dir/sub/d', '0');
  git.commit('dir');
  git.git('checkout', '--quiet', '-b', 'side');
  git.write('side', '0');
  git.write('a', 'same');
  git.commit('side');
  git.git('checkout', '--quiet', 'main');
  for (let index = 0; index < 90; index += 1) {
    git.write('b', `${index}`);
    if (index === 20) git.write('a', 'same');
    if (index === 40) git.git('rm', '--quiet', 'gone');
    git.commit(`b ${index}`);
  }
  git.merge('side');
  git.commit('empty');
  commits = git.lines('rev-list', '--all');
});
after(() => git.close());

const asked = new Map<string, string | null>();

function expected(commit: string, path: string): string | null {
  const key = `${commit} ${path}`;
  if (!asked.has(key)) asked.set(key, askGit(commit, path));
  return asked.get(key) ?? null;
}

function askGit(commit: string, path: string): string | null {
  return git.git('--literal-pathspecs', 'log', '-1', '--format=%H', commit, '--', path) || null;
}

test('agrees with git log -1 for every path, newest commit first and last', async () => {
  const some = commits.filter((_, index) => index % 9 === 0 || index < 3 || index > commits.length - 4);
  for (const [name, order] of [
    ['newest first', some],
    ['oldest first', some.toReversed()],
  ] as const) {
    const repo = git.fresh(name);
    for (const commit of order) {
      for (const path of paths) assert.equal(await lastCommitOf(repo, commit, path), expected(commit, path), path);
    }
  }
});

test('a path that was removed has the commit that removed it', async () => {
  assert.equal(await lastCommitOf(git.repo, commits[0]!, 'gone'), git.oid('HEAD^1^1~49'));
});

test('many paths at once', async () => {
  const lastCommits = await lastCommitsOf(git.fresh('many'), commits[0]!, [...paths, 'a', '../x', '', 'a\0']);
  for (const path of paths) assert.equal(lastCommits.get(path), expected(commits[0]!, path), path);
  for (const path of ['../x', '', 'a\0']) assert.equal(lastCommits.get(path), null);
});

test('refuses what is no complete id', async () => {
  await assert.rejects(lastCommitOf(git.repo, '--all', 'a'), { code: 'invalid' });
});
