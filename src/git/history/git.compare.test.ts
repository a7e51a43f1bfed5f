import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { data } from '../../../test/support/fast-import.ts';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { divergence, isAncestor, mergeBase, mergedInto } from './git.compare.ts';

let git: GitRepository;
let oids: string[];
let orphan: string;

before(() => {
  git = new GitRepository();
  git.write('a', '1');
  git.commit('root');
  for (const name of ['one', 'two', 'three']) {
    git.git('branch', name);
    git.write(name, 'main');
    git.commit(`main ${name}`);
    git.git('checkout', '--quiet', name);
    git.write(`${name}-file`, 'branch');
    git.commit(`on ${name}`);
    git.git('checkout', '--quiet', 'main');
    if (name !== 'two') git.merge(name);
  }
  git.git('checkout', '--quiet', '--orphan', 'orphan');
  orphan = git.commit('orphan');
  git.git('checkout', '--quiet', 'main');
  oids = git.lines('rev-list', '--all');
});
after(() => git.close());

function status(...args: string[]): boolean {
  try {
    git.bytes(args);
    return true;
  } catch {
    return false;
  }
}

test('merge bases agree with git', async () => {
  for (const a of oids) {
    for (const b of oids) {
      const expected = status('merge-base', a, b) ? git.lines('merge-base', a, b)[0]! : null;
      assert.equal(await mergeBase(git.repo, [a, b]), expected);
    }
  }
  const three = [git.oid('one'), git.oid('two'), git.oid('three')];
  assert.equal(await mergeBase(git.repo, three), git.git('merge-base', ...three));
  assert.equal(await mergeBase(git.repo, [orphan]), orphan);
  await assert.rejects(mergeBase(git.repo, []), { code: 'invalid' });
  await assert.rejects(mergeBase(git.repo, ['--all', orphan]), { code: 'invalid' });
  await assert.rejects(mergeBase(git.repo, ['a'.repeat(40), orphan]), { code: 'failed' });
});

test('what is merged agrees with git, in one call and one by one', async () => {
  for (const target of oids) {
    const expected = oids.filter((oid) => status('merge-base', '--is-ancestor', oid, target));
    for (const repo of [git.repo, git.repo, git.fresh(target)]) {
      assert.deepEqual([...(await mergedInto(repo, oids, target))].sort(), expected.toSorted());
    }
    const single = git.fresh(`${target} single`);
    for (const oid of oids) {
      assert.equal(await isAncestor(single, oid, target), expected.includes(oid));
    }
  }
  assert.deepEqual(await mergedInto(git.repo, [], orphan), new Set());
  await assert.rejects(mergedInto(git.repo, ['--all'], orphan), { code: 'invalid' });
});

test('an ancestor is found however far away it is, and however wrong the clocks were', async () => {
  const from = git.oid('main');
  const commits = Array.from({ length: 400 }, (_, index) =>
    [
      `commit refs/heads/long`,
      `committer A <a@example.com> ${index} +0000`,
      data(`${index}`),
      index === 0 ? `from ${from}` : '',
    ].join('\n'),
  );
  git.bytes(['fast-import', '--quiet'], { input: `${commits.join('\n')}\n` });
  const tip = git.git('rev-parse', 'long');
  for (const oid of [tip, git.git('rev-parse', 'long~1'), git.git('rev-parse', 'long~300'), from]) {
    assert.equal(await isAncestor(git.repo, oid, tip), true);
  }
  assert.equal(await isAncestor(git.repo, orphan, tip), false);
  assert.equal(await isAncestor(git.repo, tip, from), false);
  git.git('update-ref', '-d', 'refs/heads/long');
});

test('divergence agrees with git', async () => {
  for (const a of oids) {
    const expected = git.git('rev-list', '--left-right', '--count', `${a}...main`).split('\t').map(Number);
    const { ahead, behind } = await divergence(git.repo, a, git.oid('main'));
    assert.deepEqual([ahead, behind], expected);
  }
});
