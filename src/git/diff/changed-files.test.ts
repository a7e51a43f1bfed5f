import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { changedFiles } from './changed-files.ts';

const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`d${String(at).padStart(3, '0')}/x`, '1']));

test('files that are added, changed and removed, read folder by folder or by git alike', async (t) => {
  const { repo, commit } = gitFixture(t);
  const first = commit({ a: '1', 'b/c': '1', 'b/ä': '1', moved: 'same' });
  const second = commit({ a: '2', 'b/c': '1', 'b/new': '1', away: 'same', 'a-file/now-folder': '1' });
  assert.deepEqual(await changedFiles(repo, first, second), {
    added: ['a-file/now-folder', 'away', 'b/new'],
    modified: ['a'],
    removed: ['b/ä', 'moved'],
  });
  assert.deepEqual(await changedFiles(repo, null, first), {
    added: ['a', 'b/c', 'b/ä', 'moved'],
    modified: [],
    removed: [],
  });
  const wide = commit({ ...many, a: '1' });
  const added = Object.keys(many);
  assert.deepEqual(await changedFiles(repo, null, wide), { added: ['a', ...added], modified: [], removed: [] });
  assert.deepEqual(await changedFiles(repo, second, wide), {
    added,
    modified: ['a'],
    removed: ['a-file/now-folder', 'away', 'b/c', 'b/new'],
  });
});

test('what is missing is an error of git', async (t) => {
  const { repo, commit } = gitFixture(t);
  await assert.rejects(changedFiles(repo, 'f'.repeat(40), commit({ a: '1' })), { code: 'failed' });
});

test('more files than anybody could be shown are an error', async (t) => {
  const { repo, git } = gitFixture(t);
  const paths = Array.from({ length: 25_000 }, (_, at) => `M 100644 :1 d${at % 200}/${'x'.repeat(180)}${at}\n`);
  git(
    ['fast-import', '--quiet'],
    `blob\nmark :1\ndata 1\nx\ncommit refs/heads/main\ncommitter A <a@b.c> 1 +0000\ndata 1\nx\n${paths.join('')}`,
  );
  const head = git(['rev-parse', 'refs/heads/main']);
  await assert.rejects(changedFiles(repo, null, head), { code: 'output_too_large' });
});
