import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { commitsBetween } from './commits-between.ts';

test('what one commit has and another has not is what git says, whatever the history is like', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const root = commit({ a: '1' });
  const left = commit({ a: '2' }, [root]);
  const right = commit({ a: '3' }, [root]);
  const merge = commit({ a: '4' }, [left, right]);
  const more = commit({ a: '5' }, [merge]);
  const other = commit({ b: '1' });
  const joined = commit({ a: '5', b: '1' }, [more, other]);
  const ids = [root, left, right, merge, more, other, joined];
  for (const to of ids) {
    for (const not of [null, ...ids]) {
      const named = git(['rev-list', to, ...(not === null ? [] : [`^${not}`])]).split('\n');
      const expected = named.filter((oid) => oid !== '');
      const { commits, total } = await commitsBetween(repo, to, not, 100);
      assert.equal(total, expected.length);
      assert.deepEqual(commits.map(({ oid }) => oid).sort(), expected.sort());
    }
  }
  const { commits, total } = await commitsBetween(repo, joined, null, 2);
  assert.deepEqual([total, commits.length, commits.at(-1)!.oid], [7, 2, joined]);
});

test('a long history is counted by git', async (t) => {
  const { repo, git } = gitFixture(t);
  const lines = Array.from({ length: 1_500 }, (_, at) => {
    const message = `commit ${at}`;
    return `commit refs/heads/main\ncommitter A <a@b.c> ${1_700_000_000 + at} +0000\ndata ${message.length}\n${message}\n`;
  });
  git(['fast-import', '--quiet'], lines.join(''));
  const head = git(['rev-parse', 'refs/heads/main']);
  const { commits, total } = await commitsBetween(repo, head, null, 3);
  assert.equal(total, 1_500);
  assert.deepEqual(
    commits.map(({ message }) => message),
    ['commit 1497', 'commit 1498', 'commit 1499'],
  );
  const near = git(['rev-parse', 'refs/heads/main~4']);
  assert.equal((await commitsBetween(repo, head, near, 3)).total, 4);
});

test('what is missing is an error of git', async (t) => {
  const { repo, commit } = gitFixture(t);
  await assert.rejects(commitsBetween(repo, commit({ a: '1' }), 'f'.repeat(40), 3), { code: 'failed' });
});
