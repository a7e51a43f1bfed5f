import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { mergeBases } from '../history/index.ts';
import { ObjectWriter } from '../objects/index.ts';
import { cherryPick, type MergeResult, mergeCommits, type PickResult, revert } from './git.merge.ts';

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

/** The tree of a clean result, for which everything is written that it needs. */
async function cleanTree(result: Promise<PickResult | MergeResult>): Promise<string> {
  const merged = await result;
  assert.ok(merged.kind === 'clean', merged.kind);
  await new ObjectWriter(git.repo.dir).write(merged.objects);
  return merged.tree;
}

test('a clean merge gives the tree that git merge makes', async () => {
  const [main, feature] = [git.oid('main'), git.oid('feature')];
  const tree = worktreeResult(main, 'merge', '--no-commit', '--no-ff', feature);
  assert.equal(await cleanTree(mergeCommits(git.repo, main, feature)), tree);
});

test('cherry-pick and revert give the trees that git makes', async () => {
  const [main, feature] = [git.oid('main'), git.oid('feature')];
  const picked = worktreeResult(main, 'cherry-pick', '--no-commit', feature);
  assert.equal(await cleanTree(cherryPick(git.repo, { commit: feature, onto: main })), picked);
  const reverted = worktreeResult(main, 'revert', '--no-commit', main);
  assert.equal(await cleanTree(revert(git.repo, { commit: main, onto: main })), reverted);
  const merge = git.merge('feature');
  for (const mainline of [1, 2]) {
    const tree = worktreeResult(merge, 'revert', '--no-commit', '-m', `${mainline}`, merge);
    assert.equal(await cleanTree(revert(git.repo, { commit: merge, onto: merge, mainline })), tree);
  }
  const onRoot = worktreeResult(root, 'cherry-pick', '--no-commit', '-m', '1', merge);
  assert.equal(await cleanTree(cherryPick(git.repo, { commit: merge, onto: root, mainline: 1 })), onRoot);
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
  assert.equal(await cleanTree(cherryPick(git.repo, { commit: orphan, onto })), tree);
  const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  assert.equal(await cleanTree(revert(git.repo, { commit: orphan, onto: orphan })), empty);
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

/** A branch of so many changed files, on top of a commit. */
function branchOf(from: string, files: Readonly<Record<string, string>>): string {
  git.git('checkout', '--quiet', '--detach', from);
  for (const [path, content] of Object.entries(files)) git.write(path, content);
  const made = git.commit(Object.keys(files).join());
  git.git('checkout', '--quiet', 'main');
  return made;
}

test('a merge that needs no guess starts no process, another gives what git makes of it', async () => {
  let started = 0;
  const onStart = () => {
    started += 1;
  };
  subscribe('child_process', onStart);
  const base = branchOf(root, { 'd/e/x': '1', 'd/y': '1', text: text({}) });
  const ours = branchOf(base, { 'd/e/x': '2', 'd/new': 'n', text: text({ 2: 'ours' }) });
  const theirs = branchOf(base, { 'd/y': '2', 'd/e/new': 'n', text: text({ 10: 'theirs', 17: 'theirs' }) });
  const close = branchOf(base, { text: text({ 3: 'close' }) });
  const expected = worktreeResult(ours, 'merge', '--no-commit', '--no-ff', theirs);
  started = 0;
  const merged = mergeCommits(git.repo, ours, theirs);
  assert.equal(await cleanTree(merged), expected);
  assert.equal(await cleanTree(cherryPick(git.repo, { commit: theirs, onto: ours })), expected);
  assert.deepEqual(await mergeCommits(git.repo, theirs, base), await mergeCommits(git.repo, base, theirs));
  assert.equal(started, 0);
  assert.equal((await mergeCommits(git.repo, ours, close)).kind, 'conflict');
  assert.equal(started, 1);

  // Two merge bases.
  const crossed = (one: string, other: string) =>
    git.git('commit-tree', `${expected}`, '-p', one, '-p', other, '-m', 'x');
  const left = branchOf(crossed(ours, theirs), { left: '1' });
  const right = branchOf(crossed(theirs, ours), { right: '1' });
  assert.equal((await mergeBases(git.repo, [left, right])).length, 2);
  const both = worktreeResult(left, 'merge', '--no-commit', '--no-ff', right);
  started = 0;
  assert.equal(await cleanTree(mergeCommits(git.repo, left, right)), both);
  assert.equal(started, 1);

  // The repository may have a way of its own to merge a file.
  git.write('.gitattributes', 'text merge=union\n');
  git.commit('attributes');
  started = 0;
  assert.equal((await mergeCommits(git.repo, ours, theirs)).kind, 'clean');
  assert.equal(started, 1);
  unsubscribe('child_process', onStart);
});
