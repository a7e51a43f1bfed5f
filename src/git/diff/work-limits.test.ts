import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitChildren, gitFixture } from '../../../test/support/git-fixture.ts';
import { makeTreeBomb } from '../../../test/support/tree-bomb.ts';
import { emptyTreeLike, GitError, type GitErrorCode } from '../common/index.ts';
import { DIFF_OPTIONS, DiffProcess, readRecords } from '../process/index.ts';
import { languagesOf } from '../trees/index.ts';

const hasCode = (code: GitErrorCode) => (error: unknown) => error instanceof GitError && error.code === code;

test('a child that reads ends when it has worked for its time, whatever the clock allows', async (t) => {
  const { git, dir } = gitFixture(t);
  const bomb = makeTreeBomb(git);
  const args = ['ls-tree', '-r', '-z', bomb];
  const options = { gitDir: dir, separator: 0, cpuMs: 1_000, maxOutput: Number.POSITIVE_INFINITY };
  await assert.rejects(
    readRecords(args, options, () => {}),
    hasCode('timeout'),
  );
});

test('a warm process that works too long for a question ends', async (t) => {
  const { git, dir } = gitFixture(t);
  const bomb = git(['rev-parse', `${makeTreeBomb(git)}^{tree}`]);
  const ended = Promise.withResolvers<void>();
  const args = ['diff-tree', '--stdin', ...DIFF_OPTIONS];
  const process = new DiffProcess(dir, { args, memory: 512 * 1024 * 1024 }, ended.resolve);
  const lines = [`${emptyTreeLike(bomb)} ${bomb}`];
  const question = { lines, onLine: () => true, maxRecord: 100, signal: undefined };
  await assert.rejects(process.ask({ ...question, cpuMs: 300 }), hasCode('timeout'));
  await ended.promise;
  assert.deepEqual(gitChildren(dir), []);
});

test('languages are counted up to a million files, however few objects stand for more', async (t) => {
  const { repo, git } = gitFixture(t);
  await assert.rejects(languagesOf(repo, makeTreeBomb(git)), hasCode('output_too_large'));
  assert.deepEqual(await languagesOf(repo, makeTreeBomb(git, 'small', 2)), []);
});
