import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import type { Repository } from '../repository/index.ts';
import { languagesOf } from '../trees/index.ts';
import { listContributors } from './git.contributors.ts';

const children: ChildProcess[] = [];
subscribe('child_process', (message) => {
  children.push((message as { process: ChildProcess }).process);
});
/** The processes that were started since it was called last. */
const started = () => children.splice(0).map(({ spawnargs }) => spawnargs.join(' '));
let git: GitRepository;
let cachedRepo: Repository;
let copies = 0;
before(() => {
  git = new GitRepository();
  cachedRepo = git.repo;
});
after(() => git.close());

/** What is told of a commit, held against what a repository tells of which nothing was asked before. */
async function compare(commit: string, what: string): Promise<void> {
  copies += 1;
  const unasked = git.fresh(`copy-${copies}`);
  assert.deepEqual(await languagesOf(cachedRepo, commit), await languagesOf(unasked, commit), `languages, ${what}`);
  assert.deepEqual(
    await listContributors(cachedRepo, commit),
    await listContributors(unasked, commit),
    `authors, ${what}`,
  );
}

test('languages and contributors after changes are those that are counted anew', async () => {
  git.write('main.ts', 'x'.repeat(500));
  git.write('lib/a.rb', 'x'.repeat(300));
  git.write('a.h', 'x'.repeat(100));
  git.write('docs/a.py', 'x'.repeat(100));
  const first = git.commit('first', { author: 'Ada', email: 'ada@example.org' });
  await compare(first, 'at first');
  git.write('lib/a.rb', 'x'.repeat(200));
  git.write('other', 'x');
  await compare(git.commit('smaller', { author: 'Bob', email: 'bob@example.org' }), 'a smaller file');
  git.git('mv', 'lib/a.rb', 'docs/a.rb');
  await compare(git.commit('into the documentation', { author: 'Ada L.', email: 'ada@example.org' }), 'moved');
  git.write('b.cpp', 'x'.repeat(400));
  const more = git.commit('another language', { author: 'Cid', email: 'cid@example.org' });
  await compare(more, 'a language that claims an ending');
  git.git('checkout', '--quiet', '-b', 'side', first);
  git.write('side.go', 'x'.repeat(50));
  git.commit('on a branch', { author: 'Dora', email: 'dora@example.org' });
  await compare(git.oid('side'), 'another branch');
  git.git('checkout', '--quiet', 'main');
  const merged = git.merge('side');
  await compare(merged, 'a merge');
  git.git('rm', '-rq', 'main.ts', 'side.go');
  await compare(git.commit('without', { author: 'Ada', email: 'ada@example.org' }), 'removed');
  await compare(first, 'moved back');
  await compare(merged, 'moved forth');
  git.git('checkout', '--quiet', '--orphan', 'other');
  git.write('alone.py', 'x'.repeat(10));
  await compare(git.commit('another history', { author: 'Eve', email: 'eve@example.org' }), 'another history');
});

test('what came since is counted alone, and of languages without a process', async () => {
  git.git('checkout', '--quiet', '--force', 'main');
  const base = git.oid('main');
  await compare(base, 'before');
  git.write('b.cpp', 'x'.repeat(500));
  const head = git.commit('changed', { author: 'Ada', email: 'ada@example.org' });
  assert.notDeepEqual(started(), []);
  await languagesOf(cachedRepo, head);
  assert.deepEqual(started(), []);
  await listContributors(cachedRepo, head);
  const [only, ...others] = started();
  assert.deepEqual(others, []);
  assert.ok(only?.includes(`${head} ^${base}`), only ?? 'none');
});
