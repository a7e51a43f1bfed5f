import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitFixture, gitFixture } from '../../../../test/support/git-fixture.ts';
import { writeWholeGraph } from '../../../git/commit-graph/index.ts';
import { ask } from '../../../git/repository/index.ts';
import { readerThread } from '../reader-thread-program.ts';
import { COMMIT_JSON } from './detail-json.ts';
import { DIFF_PAGE } from './diff-page.ts';
import { COMMIT_PAGE } from './page-json.ts';

const WEB = 'http://x/p';

async function askBoth({ repo }: GitFixture, tip: string): Promise<unknown[]> {
  const page = await ask(repo, COMMIT_PAGE, { from: [tip], limit: 2 }, WEB, false, true);
  const single = await ask(repo, COMMIT_JSON, tip, WEB, { status: null });
  const diff = await ask(repo, DIFF_PAGE, tip, { offset: 0, size: 20, unidiff: false });
  return [page, single, diff].map((response) => ({
    ...response,
    bytes: JSON.parse(Buffer.from(response!.bytes).toString()),
  }));
}

/** Waits until a reader thread answers. */
async function answering({ pool, repo }: GitFixture, tip: string): Promise<void> {
  pool.readers.allow({ ...readerThread, threads: 1, isNeeded: () => true });
  while ((await pool.readers.ask(repo, COMMIT_JSON.name, [tip, WEB, {}])) === undefined) await sleep(5);
}

function history({ commit, git }: GitFixture): string {
  const root = commit({ a: '1\n2\n' });
  const tip = commit({ a: '1\n3\n4\n' }, [root]);
  git(['update-ref', 'refs/heads/main', tip]);
  return tip;
}

function notHere(t: TestContext, { repo }: GitFixture): void {
  for (const name of ['commit', 'useTree', 'useBlob'] as const)
    t.mock.method(repo.objects, name, () => assert.fail('it is read here'));
  t.mock.method(repo.history, 'stats', () => assert.fail('it is looked up here'));
}

test('a commit, a list with sizes, and what changed come from a thread as they are here', async (t) => {
  const fixture = gitFixture(t);
  const tip = history(fixture);
  await writeWholeGraph(fixture.dir);
  const here = await askBoth(fixture, tip);
  await answering(fixture, tip);
  notHere(t, fixture);
  assert.deepEqual(await askBoth(fixture, tip), here);
});

test('where sizes are not indexed a thread leaves the list to this one', async (t) => {
  const fixture = gitFixture(t);
  const tip = history(fixture);
  const here = await askBoth(fixture, tip);
  await answering(fixture, tip);
  assert.deepEqual(await askBoth(fixture, tip), here);
  // It reports the failure immediately: a thread that is slow to answer would have been ended.
  assert.equal(fixture.pool.readers.size, 1);
});

test('a thread says at once that it takes git to tell what changed', async (t) => {
  const fixture = gitFixture(t);
  const tip = history(fixture);
  const renamed = fixture.commit({ b: '1\n3\n4\n' }, [tip]);
  await answering(fixture, tip);
  assert.equal(await ask(fixture.repo, DIFF_PAGE, renamed, { offset: 0, size: 20, unidiff: false }), null);
  assert.equal(fixture.pool.readers.size, 1);
});
