import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { runGit } from '../process/index.ts';
import { refsContaining } from './contains.ts';
import { divergence, isAncestor, mergeBase, mergedInto } from './git.compare.ts';
import { lastCommitOf } from './last-commit.ts';
import { countCommits, listCommits } from './log.ts';

let git: GitRepository;
let started = 0;
before(() => {
  git = new GitRepository();
  for (let at = 0; at < 5; at += 1) {
    git.write(`dir/${at}`, '1');
    git.commit(`${at}`);
  }
  git.git('branch', 'side', 'main~2');
  subscribe('child_process', () => {
    started += 1;
  });
});
after(() => git.close());

async function askAll(name: string): Promise<void> {
  const repo = git.fresh(name);
  const [head, side] = [git.oid('main'), git.oid('side')];
  started = 0;
  const all = { from: [head], limit: 10 };
  assert.equal(await lastCommitOf(repo, head, 'dir/2'), side);
  assert.equal((await listCommits(repo, all)).length, 5);
  assert.equal((await listCommits(repo, { ...all, order: 'topo', firstParent: true })).length, 5);
  assert.equal((await listCommits(repo, { ...all, path: 'dir', author: 'ada', not: [side] })).length, 2);
  assert.deepEqual([await countCommits(repo, [head]), await countCommits(repo, [head], { not: [side] })], [5, 2]);
  assert.equal(await mergeBase(repo, [head, side]), side);
  assert.equal(await isAncestor(repo, side, head), true);
  assert.deepEqual(await mergedInto(repo, [side], head), new Set([side]));
  assert.deepEqual(await divergence(repo, head, side), { ahead: 2, behind: 0 });
  assert.equal((await refsContaining(repo, side, ['refs/heads/'])).length, 2);
  assert.equal(started, 0);
}

test('questions about history start no process, with a commit-graph and without', async () => {
  // That processes are seen at all.
  await runGit(['version']);
  assert.equal(started, 1);
  await askAll('without');
  git.bytes(['commit-graph', 'write', '--stdin-commits', '--changed-paths', '--split'], { input: git.oid('side') });
  await askAll('in part');
  git.git('commit-graph', 'write', '--reachable', '--changed-paths', '--split');
  await askAll('with');
});
