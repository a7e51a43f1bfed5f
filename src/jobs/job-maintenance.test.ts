import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { someoneWaits } from '../../test/support/meanwhile.ts';
import { dieAs, findDead, secondProcess } from '../../test/support/second-process.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { releaseUnheld } from './job-maintenance.ts';
import { writeOutcomes } from './job-outcomes.ts';
import { claimJobs } from './jobs.claim.ts';
import { jobKind } from './jobs.kinds.ts';

const KIND = jobKind<object>('test.upkeep', { lane: 'git' });

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
beforeEach(() => app.deps.db.deleteFrom('jobs').execute());
after(() => app.close());

/** Claims due jobs as a process of that name. */
async function take(claim: string) {
  const { db, config } = app.deps;
  const now = new Date().toISOString();
  const request = { lane: 'git', kinds: [KIND.name], limit: 10, now, claim };
  return db.transaction().execute((db) => claimJobs(db, config.database.kind === 'postgres', request));
}

const rows = () => app.deps.db.selectFrom('jobs').selectAll().orderBy('id').execute();

test('jobs of a process that has died are taken over, those of others are not', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, {});
  const [dead] = await take('7:dead.1');
  await jobs.enqueue(db, KIND, {});
  const [living] = await take('77:living.1');
  await jobs.reclaimFrom(7);
  const states = async () => (await rows()).map(({ id, state }) => [id, state]);
  assert.deepEqual(await states(), [
    [dead!.id, 'waiting'],
    [living!.id, 'running'],
  ]);
  await take('8:other.1');
  await jobs.reclaimUnknown([8]);
  assert.deepEqual(await states(), [
    [dead!.id, 'running'],
    [living!.id, 'waiting'],
  ]);
});

test('jobs of a process that is found dead run again at once', {
  skip: !process.env.STITHY_TEST_POSTGRES,
}, async () => {
  const other = (await secondProcess(app))!;
  try {
    const { db, jobs } = app.deps;
    await jobs.enqueue(db, KIND, {});
    await take(`${other.deps.processes.id}:dead.1`);
    await findDead(app);
    assert.deepEqual(
      (await rows()).map(({ state }) => state),
      ['running'],
    );
    await dieAs(other);
    await findDead(app);
    assert.deepEqual(
      (await rows()).map(({ state }) => state),
      ['waiting'],
    );
  } finally {
    await other.close();
  }
});

test('a process that was taken for dead changes nothing about the job that another one runs by then', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, {});
  const [first] = await take('5:slow.1');
  await jobs.reclaimFrom(5);
  const [second] = await take('6:quick.1');
  assert.equal(second!.id, first!.id);
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: first!, to: 'done' }]));
  const again = { state: 'waiting', runAt: '2020-01-01T00:00:00.000Z', attempts: 7, error: 'late' } as const;
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: first!, to: again }]));
  assert.deepEqual(
    (await rows()).map(({ state, claim, attempts }) => [state, claim, attempts]),
    [['running', '6:quick.1', 2]],
  );
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: second!, to: 'done' }]));
  assert.deepEqual(await rows(), []);
});

test('what was written under the key of a job that is taken over runs beside it', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, {}, { uniqueKey: 'same' });
  await take('dead.2');
  await jobs.enqueue(db, KIND, {}, { uniqueKey: 'same' });
  await jobs.reclaim();
  assert.deepEqual(
    (await rows()).map(({ state, unique_key }) => [state, unique_key]),
    [
      ['waiting', null],
      ['waiting', 'test.upkeep:same'],
    ],
  );
});

const LATER = '2020-01-01T00:00:00.000Z';
const again = ({ attempts }: StoredJob) => ({ state: 'waiting' as const, runAt: LATER, attempts, error: 'no' });
const shown = async () => (await rows()).map(({ payload, state, unique_key }) => [payload, state, unique_key]);
const SAME = 'test.upkeep:same';

test('a job is given up for the one of its key that was written while it ran', async () => {
  const { db, jobs } = app.deps;
  const runAt = new Date('2030-01-01T00:00:00.000Z');
  await jobs.enqueue(db, KIND, { n: 1 }, { uniqueKey: 'same' });
  const [job] = await take('one.1');
  await jobs.enqueue(db, KIND, { n: 2 }, { uniqueKey: 'same', runAt });
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: job!, to: again(job!) }]));
  const [left, ...others] = await rows();
  assert.deepEqual(others, []);
  assert.deepEqual([left!.payload, left!.state, left!.attempts], ['{"n":2}', 'waiting', 0]);
  // It was scheduled for that time, and nobody requested another.
  assert.deepEqual([left!.run_at, left!.turn_at], [runAt.toISOString(), runAt.toISOString()]);
});

test('also for one whose transaction ends between the look for it and the write', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, { n: 1 }, { uniqueKey: 'same' });
  const [job] = await take('one.1');
  const written = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  const twin = db.transaction().execute(async (db) => {
    await jobs.enqueue(db, KIND, { n: 2 }, { uniqueKey: 'same' });
    written.resolve();
    await ends.promise;
  });
  await written.promise;
  const settled = db.transaction().execute((db) => writeOutcomes(db, [{ job: job!, to: again(job!) }]));
  await someoneWaits(app);
  ends.resolve();
  await twin;
  await settled;
  assert.deepEqual(await shown(), [['{"n":2}', 'waiting', SAME]]);
});

test('a job is put back where the other one of its key is taken back meanwhile', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, { n: 1 }, { uniqueKey: 'same' });
  const [job] = await take('one.1');
  await jobs.enqueue(db, KIND, { n: 2 }, { uniqueKey: 'same' });
  assert.equal(await jobs.cancel(db, KIND, 'same'), true);
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: job!, to: again(job!) }]));
  assert.deepEqual(await shown(), [['{"n":1}', 'waiting', SAME]]);
});

test('whoever asked for a run at once gets it from the one that stands for the job', async (context) => {
  // All of this happens within one millisecond.
  const { db, jobs, clock } = app.deps;
  const at = clock.now();
  context.mock.method(clock, 'now', () => at);
  const keys = { uniqueKey: 'same', orderKey: 'order' };
  await jobs.enqueue(db, KIND, { n: 1 }, keys);
  const [job] = await take('one.1');
  await jobs.retryNow(db, 'order');
  const [asked] = await rows();
  await jobs.enqueue(db, KIND, { n: 2 }, { ...keys, runAt: new Date('2030-01-01T00:00:00.000Z') });
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: job!, to: again(job!) }]));
  const [left, ...others] = await rows();
  assert.deepEqual(others, []);
  assert.deepEqual([left!.payload, left!.run_at, left!.turn_at], ['{"n":2}', asked!.run_at, asked!.run_at]);
});

test('what is held behind a job that is given up for another one goes on', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, { n: 1 }, { uniqueKey: 'same', orderKey: 'order' });
  const [job] = await take('one.1');
  await jobs.enqueue(db, KIND, { n: 2 }, { orderKey: 'order' });
  assert.deepEqual(await take('one.2'), []);
  await jobs.enqueue(db, KIND, { n: 3 }, { uniqueKey: 'same', orderKey: 'order' });
  await db.transaction().execute((db) => writeOutcomes(db, [{ job: job!, to: again(job!) }]));
  for (const n of [2, 3]) {
    const [next, ...more] = await take(`one.${n + 1}`);
    assert.deepEqual([next?.payload, more], [`{"n":${n}}`, []]);
    await db.transaction().execute((db) => writeOutcomes(db, [{ job: next!, to: 'done' }]));
  }
});

for (const other of ['done', 'taken over'] as const) {
  test(`a held job goes on behind one that is ${other} though another of its key waits`, async () => {
    const { db, jobs } = app.deps;
    const keys = { uniqueKey: 'same', orderKey: 'order' };
    await jobs.enqueue(db, KIND, { n: 1 }, keys);
    const [job] = await take('5:one.1');
    await jobs.enqueue(db, KIND, { n: 2 }, keys);
    assert.deepEqual(await take('5:one.2'), []);
    await jobs.enqueue(db, KIND, { n: 3 }, keys);
    if (other === 'done') await db.transaction().execute((db) => writeOutcomes(db, [{ job: job!, to: 'done' }]));
    else await jobs.reclaimFrom(5);
    const seen: string[] = [];
    for (let n = 3; ; n += 1) {
      const [next] = await take(`one.${n}`);
      if (next === undefined) break;
      seen.push(next.payload);
      await db.transaction().execute((db) => writeOutcomes(db, [{ job: next, to: 'done' }]));
    }
    assert.deepEqual(seen, [...(other === 'done' ? [] : ['{"n":1}']), '{"n":2}', '{"n":3}']);
    assert.deepEqual(await rows(), []);
  });
}

test('a job is taken over also while another of its key is being written', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, { n: 1 }, { uniqueKey: 'same' });
  await take('5:one.1');
  const written = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  const twin = db.transaction().execute(async (db) => {
    await jobs.enqueue(db, KIND, { n: 2 }, { uniqueKey: 'same' });
    written.resolve();
    await ends.promise;
  });
  await written.promise;
  const taken = jobs.reclaimFrom(5);
  await someoneWaits(app);
  ends.resolve();
  await Promise.all([twin, taken]);
  assert.deepEqual(await shown(), [
    ['{"n":1}', 'waiting', null],
    ['{"n":2}', 'waiting', SAME],
  ]);
});

test('jobs that are held for one that was removed by hand go on', async () => {
  const { db, jobs } = app.deps;
  for (let n = 0; n < 3; n += 1) await jobs.enqueue(db, KIND, {}, { orderKey: 'key' });
  const [first, ...others] = await take('one.1');
  assert.equal(others.length, 0);
  const states = async () => (await rows()).map(({ state }) => state);
  assert.deepEqual(await states(), ['running', 'held', 'held']);
  await db.deleteFrom('jobs').where('id', '=', first!.id).execute();
  await releaseUnheld(db);
  assert.deepEqual(await states(), ['waiting', 'held']);
});
