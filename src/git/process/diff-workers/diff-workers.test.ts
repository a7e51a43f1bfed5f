import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askWarmAndCold, generateChanges, printed } from '../../../../test/support/diff-questions.ts';
import { gitChildren, gitFixture } from '../../../../test/support/git-fixture.ts';
import { inScope } from '../../../core/request-scope.ts';
import { commitDiff, commitStats, diffTrees, statsOf } from '../../diff/index.ts';
import type { Repository } from '../../repository/index.ts';

/** What git says, also of what is found without it. */
const gitDiff = (repo: Repository, oid: string) => commitDiff(repo, oid, { onlyGit: true });

for (const seed of [1, 2, 3]) {
  test(`warm processes print what processes of their own do, history ${seed}`, async (t) => {
    const fixture = gitFixture(t);
    const oids = generateChanges(fixture, { seed, commits: 40 });
    assert.deepEqual(await askWarmAndCold(fixture, oids, seed, 25), []);
    assert.equal(gitChildren(fixture.dir).length, 2);
  });
}

test('diffs and stats that were never asked for start no process once there is one', async (t) => {
  const fixture = gitFixture(t);
  const oids = generateChanges(fixture, { seed: 9, commits: 30 });
  await gitDiff(fixture.repo, oids[0]!);
  // Those of single commits may need no process at all.
  await statsOf(fixture.repo, oids.slice(0, 1));
  const before = gitChildren(fixture.dir).sort();
  for (const oid of oids.slice(1)) {
    await gitDiff(fixture.repo, oid);
    await diffTrees(fixture.repo, oids[0]!, oid, { onlyGit: true });
  }
  await statsOf(fixture.pool.get('again', fixture.dir), oids);
  assert.deepEqual(
    gitChildren(fixture.dir)
      .filter((pid) => before.includes(pid))
      .sort(),
    before,
  );
  assert.equal(gitChildren(fixture.dir).length, before.length + 1);
});

test('what comes later, and what is packed and pruned meanwhile, is found by a warm process', async (t) => {
  const fixture = gitFixture(t);
  const first = fixture.commit({ a: '1\n' });
  await gitDiff(fixture.repo, first);
  const [pid] = gitChildren(fixture.dir);
  const second = fixture.commit({ a: '2\n' }, [first]);
  fixture.git(['update-ref', 'refs/heads/main', second]);
  fixture.git(['repack', '-adq']);
  fixture.git(['prune-packed']);
  assert.equal((await gitDiff(fixture.repo, second)).files[0]?.diff, '@@ -1 +1 @@\n-1\n+2\n');
  assert.deepEqual(gitChildren(fixture.dir), [pid]);
});

test('a client that leaves ends its question, and the next one is answered', async (t) => {
  const fixture = gitFixture(t);
  const oids = generateChanges(fixture, { seed: 4, commits: 3 });
  await gitDiff(fixture.repo, oids[0]!);
  // On a busy machine the client may leave before the process is asked, which then goes on.
  for (let patience = 20; gitChildren(fixture.dir).length > 0; patience *= 2) {
    const [pid] = gitChildren(fixture.dir);
    process.kill(pid!, 'SIGSTOP');
    const leaving = new AbortController();
    const asked = inScope({ caller: 'ada', signal: leaving.signal }, () => gitDiff(fixture.repo, oids[1]!));
    const refused = assert.rejects(asked, { code: 'aborted' });
    await sleep(patience);
    leaving.abort();
    await refused;
    process.kill(pid!, 'SIGCONT');
    for (let step = 0; step < 100 && gitChildren(fixture.dir).length > 0; step += 1) await sleep(10);
  }
  const other = fixture.pool.get('other', fixture.dir);
  assert.deepEqual(await gitDiff(fixture.repo, oids[2]!), await gitDiff(other, oids[2]!));
});

test('questions that take long do not keep others waiting', async (t) => {
  const fixture = gitFixture(t);
  const oids = generateChanges(fixture, { seed: 5, commits: 4 });
  const stopped: number[] = [];
  await gitDiff(fixture.repo, oids[0]!);
  // A process that stands still is what takes longest.
  const stop = async () => {
    for (const pid of gitChildren(fixture.dir).filter((pid) => !stopped.includes(pid))) {
      process.kill(pid, 'SIGSTOP');
      stopped.push(pid);
    }
  };
  await stop();
  const standing = [printed(fixture.repo.diffs, [`${oids[1]} ${oids[0]}`])];
  try {
    assert.notEqual(await printed(fixture.repo.diffs, [`${oids[2]} ${oids[0]}`]), '');
    await stop();
    standing.push(printed(fixture.repo.diffs, [`${oids[3]} ${oids[0]}`]));
    assert.notEqual(await printed(fixture.repo.diffs, [`${oids[2]} ${oids[1]}`]), '');
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
  }
  assert.deepEqual(
    (await Promise.all(standing)).map((text) => text.slice(0, 40)),
    [oids[1], oids[3]],
  );
  assert.equal(gitChildren(fixture.dir).length <= 3, true);
});

test('a diff that is too large for a warm process ends it and is whole', async (t) => {
  const fixture = gitFixture(t);
  const text = (sign: string) => `${sign.repeat(99)}\n`.repeat(1_500);
  const files = (sign: string) => Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}`, text(sign)]));
  const first = fixture.commit({ a: '1\n' });
  const second = fixture.commit(files('x'), [first]);
  await gitDiff(fixture.repo, first);
  const [pid] = gitChildren(fixture.dir);
  const { files: diffs, overflow } = await gitDiff(fixture.repo, second);
  assert.equal(overflow, false);
  assert.deepEqual(
    diffs.map(({ additions }) => additions),
    [0, ...Array(8).fill(1_500)],
  );
  while (gitChildren(fixture.dir).includes(pid!)) await sleep(10);
  const huge = fixture.commit({ huge: `${'0123456789abcdef'.repeat(4)}\n`.repeat(300_000) }, [second]);
  const [{ tooLarge } = { tooLarge: false }] = (await gitDiff(fixture.repo, huge)).files.slice(-1);
  assert.equal(tooLarge, true);
  assert.deepEqual(await commitStats(fixture.repo, huge), { additions: 300_000, deletions: 12_000 });
});

test('a process that dies is replaced', async (t) => {
  const fixture = gitFixture(t);
  const oids = generateChanges(fixture, { seed: 7, commits: 3 });
  const before = await gitDiff(fixture.repo, oids[1]!);
  for (const pid of gitChildren(fixture.dir)) process.kill(pid, 'SIGKILL');
  assert.deepEqual(await gitDiff(fixture.pool.get('other', fixture.dir), oids[1]!), before);
  assert.notEqual(await gitDiff(fixture.repo, oids[2]!), undefined);
});
