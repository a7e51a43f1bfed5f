import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../test/support/git-repository.ts';
import { refsContaining } from './contains.ts';

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
