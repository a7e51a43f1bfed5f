import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../test/support/git-repository.ts';
import { cherryPick, mergeCommits, revert } from './merge.ts';

let git: GitRepository;
let root: string;
const numbers = Array.from({ length: 20 }, (_, index) => `${index}`);

function text(changes: Record<number, string>): string {
  return `${numbers.map((line, index) => changes[index] ?? line).join('\n')}\n`;
}

before(() => {
  git = new GitRepository();
  git.write('file', text({}));
  git.write('other', 'x\n');
  root = git.commit('root');
  git.git('checkout', '--quiet', '-b', 'feature');
  git.write('file', text({ 2: 'feature' }));
  git.write('new\tname', 'new\n');
  git.commit('feature');
  git.git('checkout', '--quiet', 'main');
  git.write('file', text({ 15: 'main' }));
  git.git('mv', 'other', 'moved');
  git.commit('main');
});
after(() => git.close());

/** The tree that real git makes of a command on top of a commit, or null for a conflict. */
function worktreeResult(onto: string, ...args: string[]): string | null {
  git.git('checkout', '--quiet', '--detach', onto);
  try {
    git.git(...args);
    return git.git('write-tree');
  } catch {
    return null;
  } finally {
    git.git('reset', '--quiet', '--hard');
    git.git('checkout', '--quiet', 'main');
  }
}

test('a clean merge gives the tree that git merge makes', async () => {
  const [main, feature] = [git.oid('main'), git.oid('feature')];
  const tree = worktreeResult(main, 'merge', '--no-commit', '--no-ff', feature);
  assert.deepEqual(await mergeCommits(git.repo, main, feature), { kind: 'clean', tree });
});

test('cherry-pick and revert give the trees that git makes', async () => {
  const [main, feature] = [git.oid('main'), git.oid('feature')];
  const picked = worktreeResult(main, 'cherry-pick', '--no-commit', feature);
  assert.deepEqual(await cherryPick(git.repo, { commit: feature, onto: main }), { kind: 'clean', tree: picked });
  const reverted = worktreeResult(main, 'revert', '--no-commit', main);
  assert.deepEqual(await revert(git.repo, { commit: main, onto: main }), { kind: 'clean', tree: reverted });
  const merge = git.merge('feature');
  for (const mainline of [1, 2]) {
    const tree = worktreeResult(merge, 'revert', '--no-commit', '-m', `${mainline}`, merge);
    assert.deepEqual(await revert(git.repo, { commit: merge, onto: merge, mainline }), { kind: 'clean', tree });
  }
  const onRoot = worktreeResult(root, 'cherry-pick', '--no-commit', '-m', '1', merge);
  assert.deepEqual(await cherryPick(git.repo, { commit: merge, onto: root, mainline: 1 }), {
    kind: 'clean',
    tree: onRoot,
  });
  await assert.rejects(cherryPick(git.repo, { commit: merge, onto: root }), { code: 'invalid' });
  await assert.rejects(cherryPick(git.repo, { commit: merge, onto: root, mainline: 3 }), { code: 'invalid' });
});

test('a change that is there already is empty', async () => {
  const [main, feature] = [git.oid('main'), git.oid('feature')];
  assert.deepEqual(await cherryPick(git.repo, { commit: feature, onto: main }), { kind: 'empty' });
  assert.deepEqual(await revert(git.repo, { commit: feature, onto: git.oid('main^1') }), { kind: 'empty' });
});

test('a root commit is picked and reverted', async () => {
  git.git('checkout', '--quiet', '--orphan', 'orphan');
  git.git('rm', '-rfq', '.');
  git.write('orphan file', 'o\n');
  const orphan = git.commit('orphan');
  git.git('checkout', '--quiet', 'main');
  const onto = git.oid('main');
  const tree = worktreeResult(onto, 'cherry-pick', '--no-commit', orphan);
  assert.deepEqual(await cherryPick(git.repo, { commit: orphan, onto }), { kind: 'clean', tree });
  const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  assert.deepEqual(await revert(git.repo, { commit: orphan, onto: orphan }), { kind: 'clean', tree: empty });
  assert.deepEqual(await mergeCommits(git.repo, onto, orphan), { kind: 'unrelated' });
});

test('conflicts name each side', async () => {
  git.git('checkout', '--quiet', '-b', 'conflicting', root);
  git.write('file', text({ 2: 'else', 15: 'else' }));
  git.write('new\tname', 'other\n');
  const commit = git.commit('conflicting');
  git.git('checkout', '--quiet', 'main');
  const onto = git.oid('main');
  assert.equal(worktreeResult(onto, 'cherry-pick', '--no-commit', commit), null);
  const result = await cherryPick(git.repo, { commit, onto });
  assert.ok(result.kind === 'conflict');
  const named = result.conflicts.map(({ path, side }) => `${path} ${side}`);
  assert.deepEqual(named, ['file base', 'file ours', 'file theirs', 'new\tname ours', 'new\tname theirs']);
  assert.equal(result.conflicts[0]?.oid, git.oid(`${root}:file`));
  assert.match(git.git('cat-file', 'blob', `${result.tree}:file`), /^<<<<<<< /m);
  const merged = await mergeCommits(git.repo, onto, commit);
  assert.equal(merged.kind, 'conflict');
});

test('nothing moves and nothing is damaged', async () => {
  const refs = git.git('for-each-ref');
  await cherryPick(git.repo, { commit: git.oid('conflicting'), onto: root });
  assert.equal(git.git('for-each-ref'), refs);
  git.git('fsck', '--full', '--strict');
});

test('refuses what is no complete id or missing', async () => {
  await assert.rejects(cherryPick(git.repo, { commit: '--abort', onto: root }), { code: 'invalid' });
  await assert.rejects(revert(git.repo, { commit: 'a'.repeat(40), onto: root }), { code: 'not_found' });
  await assert.rejects(mergeCommits(git.repo, root, 'a'.repeat(40)), { code: 'failed' });
});
