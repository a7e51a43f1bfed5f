import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { refsContaining, refWith } from './contains.ts';

let git: GitRepository;
before(() => {
  git = new GitRepository();
});
after(() => git.close());

test('finds branches and tags, light and annotated, as they are now', async () => {
  const root = git.commit('root');
  git.git('tag', 'light');
  const next = git.commit('next');
  git.git('tag', '-a', '-m', 'annotated', 'annotated');
  git.git('branch', 'a/b-\u00fc');
  git.git('branch', 'old', root);
  assert.deepEqual(await refsContaining(git.repo, root, ['refs/heads/', 'refs/tags/']), [
    'refs/heads/a/b-\u00fc',
    'refs/heads/main',
    'refs/heads/old',
    'refs/tags/annotated',
    'refs/tags/light',
  ]);
  assert.deepEqual(await refsContaining(git.repo, next, ['refs/tags/']), ['refs/tags/annotated']);
  git.git('tag', '-d', 'annotated');
  assert.deepEqual(await refsContaining(git.repo, next, ['refs/tags/']), []);
  assert.deepEqual(await refsContaining(git.repo, next, []), []);
});

test('refuses what is no commit', async () => {
  await assert.rejects(refsContaining(git.repo, 'main', ['refs/heads/']), { code: 'invalid' });
  await assert.rejects(refsContaining(git.repo, 'a'.repeat(40), ['refs/heads/']), { code: 'failed' });
});

test('a ref with a commit is one that points to it, the default branch, another, or none', async () => {
  const root = git.commit('of all');
  const middle = git.commit('of the default branch');
  git.commit('newest');
  git.git('branch', 'aside', middle);
  assert.equal(await refWith(git.repo, root), 'refs/heads/main');
  assert.deepEqual(await refsContaining(git.repo, root, ['refs/heads/'], 1), ['refs/heads/aside']);
  assert.equal(await refWith(git.repo, middle), 'refs/heads/aside');
  const made = (...parents: string[]) =>
    git.git('commit-tree', '-m', 'made', ...parents.flatMap((oid) => ['-p', oid]), `${root}^{tree}`).trim();
  const released = made(root);
  const foreign = made(released);
  git.git('update-ref', 'refs/merge-requests/1/head', foreign);
  assert.equal(await refWith(git.repo, foreign), null);
  assert.equal(await refWith(git.repo, released), null);
  git.git('tag', '-a', '-m', 'released', 'released', released);
  assert.equal(await refWith(git.repo, released), 'refs/tags/released');
  assert.equal(await refWith(git.repo, foreign), null);
  git.git('update-ref', 'refs/heads/topic', foreign);
  assert.equal(await refWith(git.repo, foreign), 'refs/heads/topic');
  assert.equal(await refWith(git.repo, released), 'refs/heads/topic');
});
