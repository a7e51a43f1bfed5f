import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { countCommits, type LogQuery, listCommits } from './log.ts';

let git: GitRepository;
let head: string;
const latin1 = Buffer.from('caf\xe9', 'latin1');

before(() => {
  git = new GitRepository();
  git.write('a.txt', '1\n');
  git.write('-r', 'dash\n');
  git.write('dir/*', 'star\n');
  git.commit('root', { author: 'Grace', email: 'grace@example.org' });
  git.write('dir/b', '2\n');
  git.commit('second commit\n\nwith [brackets]');
  git.write(latin1, 'coffee\n');
  git.write('new\nline', 'x\n');
  git.commit('odd names', { author: 'Jos\u00e9 (x) .*', email: 'jose@example.org' });
  git.git('checkout', '--quiet', '-b', 'side', 'HEAD~1');
  git.write('side', 's\n');
  git.commit('on the side');
  git.git('checkout', '--quiet', 'main');
  git.write('a.txt', '2\n');
  git.commit('change a');
  git.merge('side');
  head = git.oid('HEAD');
});
after(() => git.close());

async function log(query: Partial<LogQuery>): Promise<readonly string[]> {
  return await listCommits(git.repo, { from: [head], limit: 100, ...query });
}

test('lists what git log lists', async () => {
  assert.deepEqual(await log({}), git.lines('log', '--format=%H'));
  assert.deepEqual(await log({ order: 'topo' }), git.lines('log', '--topo-order', '--format=%H'));
  assert.deepEqual(await log({ firstParent: true }), git.lines('log', '--first-parent', '--format=%H'));
  assert.deepEqual(await log({ noMerges: true }), git.lines('log', '--no-merges', '--format=%H'));
  assert.deepEqual(await log({ skip: 2, limit: 2 }), git.lines('log', '--skip=2', '-2', '--format=%H'));
  assert.deepEqual(await log({ not: [git.oid('side')] }), git.lines('log', '--format=%H', 'side..main', '--'));
  assert.deepEqual(
    await log({ from: [git.oid('side'), git.oid('main~1')] }),
    git.lines('log', '--format=%H', 'side', 'main~1', '--'),
  );
});

test('paths are taken literally, whatever their bytes', async () => {
  for (const path of ['a.txt', 'dir', 'dir/', '-r', 'dir/*', 'new\nline', 'side']) {
    const expected = git.lines('--literal-pathspecs', 'log', '--format=%H', '--', path);
    assert.notEqual(expected.length, 0);
    assert.deepEqual(await log({ path }), expected, path);
  }
  assert.deepEqual(await log({ path: 'caf\udce9' }), git.lines('log', '--format=%H', '--', 'caf*'));
  for (const path of ['*', 'a.tx?', ':(glob)**', ':/', '../x', '/etc/passwd', 'a.txt/', '.', 'a\0b', '']) {
    assert.deepEqual(await log({ path }), [], path);
  }
});

test('authors are patterns and messages are taken literally, in any case', async () => {
  assert.equal((await log({ author: 'grace' })).length, 1);
  assert.equal((await log({ author: 'GRACE@example.org>' })).length, 1);
  assert.equal((await log({ author: 'jos\u00e9 (X) \\.\\*' })).length, 1);
  assert.equal((await log({ author: 'ada <ada@example.com>' })).length, 4);
  assert.equal((await log({ author: '^grace .*org>$' })).length, 1);
  assert.equal((await log({ author: '.*' })).length, 6);
  for (const author of ['Grace\nAda', 'grace$', '--output=x', 'nobody', 'a\0', '1700000', '\\(', '\\(a\\)\\1']) {
    assert.equal((await log({ author })).length, 0, author);
  }
  assert.equal((await log({ search: '[BRACKETS]' })).length, 1);
  assert.equal((await log({ search: '[brackets]', author: 'grace' })).length, 0);
  assert.equal((await log({ search: '^second' })).length, 0);
});

test('dates are inclusive on both sides', async () => {
  const at = Number(git.git('log', '-1', '--format=%ct', 'HEAD~1'));
  const date = (seconds: number) => new Date(seconds * 1000);
  assert.deepEqual(await log({ since: date(at), until: date(at) }), [git.oid('HEAD~1')]);
  assert.deepEqual(await log({ since: date(at + 0.5), until: date(at) }), []);
  assert.equal((await log({ until: date(at - 1) })).length, 4);
  assert.equal((await log({ since: date(-5) })).length, 6);
  assert.deepEqual(await log({ until: date(-5) }), []);
  assert.deepEqual(await log({ since: new Date(Number.NaN) }), []);
  assert.deepEqual(await log({ until: new Date(Number.NaN) }), []);
});

test('only complete object ids reach git', async () => {
  for (const from of ['HEAD', 'main', '--output=/tmp/git-history-out', head.slice(0, 10), `${head}\n--all`, '--all']) {
    await assert.rejects(log({ from: [from] }), { code: 'invalid' });
    await assert.rejects(log({ not: [from] }), { code: 'invalid' });
  }
  assert.equal(existsSync('/tmp/git-history-out'), false);
  await assert.rejects(log({ from: ['0123456789'.repeat(4)] }), { code: 'failed' });
});

test('a new commit is seen although results are kept', async () => {
  const before = await log({});
  const next = git.commit('another');
  assert.deepEqual(await log({ from: [next] }), [next, ...before]);
  assert.deepEqual(await log({}), before);
});

test('counts as git does', async () => {
  assert.equal(await countCommits(git.repo, [head]), Number(git.git('rev-list', '--count', head)));
  assert.equal(await countCommits(git.repo, [head], { firstParent: true }), 5);
  assert.equal(await countCommits(git.repo, [head], { not: [git.oid('side')] }), 3);
  assert.equal(await countCommits(git.repo, []), 0);
});
