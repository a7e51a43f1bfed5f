import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { listContributors } from './git.contributors.ts';

let git: GitRepository;
before(() => {
  git = new GitRepository();
});
after(() => git.close());

test('one for each address, with the newest name, merges left out', async () => {
  git.commit('1', { author: 'Old Name', email: 'grace@example.org' });
  git.commit('2', { author: 'Jos\u00e9', email: 'jose@example.org' });
  git.git('checkout', '--quiet', '-b', 'side');
  git.commit('3', { author: 'Grace', email: 'grace@example.org' });
  git.git('checkout', '--quiet', 'main');
  git.commit('4', { author: 'Mapped', email: 'other@example.org' });
  git.write('.mailmap', 'Someone Else <else@example.org> <other@example.org>\n');
  git.commit('5', { author: 'Jos\u00e9', email: 'jose@example.org' });
  const head = git.merge('side');
  assert.deepEqual(await listContributors(git.repo, head), [
    { name: 'Jos\u00e9', email: 'jose@example.org', commits: 2, date: 1700000300 },
    { name: 'Mapped', email: 'other@example.org', commits: 1, date: 1700000240 },
    { name: 'Grace', email: 'grace@example.org', commits: 2, date: 1700000180 },
  ]);
  await assert.rejects(listContributors(git.repo, '--all'), { code: 'invalid' });
});

test('a name that is no UTF-8 is read as Latin-1', async () => {
  const tree = git.oid('HEAD^{tree}');
  const person = Buffer.from('J\xfcrgen <j@example.org> 1700000000 +0000', 'latin1');
  const data = Buffer.concat([
    Buffer.from(`tree ${tree}\nauthor `),
    person,
    Buffer.from('\ncommitter '),
    person,
    Buffer.from('\n\nx\n'),
  ]);
  const oid = git.bytes(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: data }).toString().trim();
  assert.deepEqual(await listContributors(git.repo, oid), [
    { name: 'J\u00fcrgen', email: 'j@example.org', commits: 1, date: 1700000000 },
  ]);
});
