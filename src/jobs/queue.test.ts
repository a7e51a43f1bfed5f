import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { bringBackJobs } from './stranded.ts';

const clock = new TestClock();
let app: TestApp;
beforeEach(async () => {
  app = await buildTestApp({ clock });
});
afterEach(() => app.close());

const states = async () =>
  (await app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', 'test').orderBy('id').execute()).map(
    ({ state, attempts }) => [state, attempts],
  );

test('a job runs once, also when it was written twice under its key, and is gone', async () => {
  const { jobs, db } = app.deps;
  const seen: number[] = [];
  jobs.register<{ n: number }>('test', async ({ n }) => {
    seen.push(n);
  });
  await jobs.enqueue(db, 'test', { n: 1 }, { uniqueKey: 'key' });
  await jobs.enqueue(db, 'test', { n: 2 }, { uniqueKey: 'key' });
  await jobs.drain();
  assert.deepEqual(seen, [1]);
  assert.deepEqual(await states(), []);
});

test('a waiting job can be taken back, once', async () => {
  const { jobs, db } = app.deps;
  jobs.register('test', () => assert.fail('it was taken back'));
  await jobs.enqueue(db, 'test', {}, { uniqueKey: 'key' });
  assert.equal(await jobs.cancel(db, 'key'), true);
  assert.equal(await jobs.cancel(db, 'key'), false);
  await jobs.drain();
});

test('a failed job comes again after a pause, and is kept as dead after its last attempt', async () => {
  const { jobs, db } = app.deps;
  jobs.register('test', () => Promise.reject(new Error('no')), { maxAttempts: 2 });
  await jobs.enqueue(db, 'test', {});
  await jobs.drain();
  assert.deepEqual(await states(), [['waiting', 1]]);
  clock.advance(3_600_000);
  await jobs.drain();
  assert.deepEqual(await states(), [['dead', 2]]);
});

test('the job of a killed process is taken up again, but not for ever', async () => {
  const { jobs, db } = app.deps;
  let runs = 0;
  jobs.register(
    'test',
    async () => {
      runs += 1;
    },
    { maxAttempts: 3 },
  );
  const lease = new Date(clock.now().getTime() + 600_000).toISOString();
  for (const attempts of [1, 3]) {
    await jobs.enqueue(db, 'test', {});
    await db
      .updateTable('jobs')
      .set({ state: 'running', lease_until: lease, attempts })
      .where('state', '=', 'waiting')
      .where('kind', '=', 'test')
      .execute();
  }
  await jobs.drain();
  assert.equal(runs, 0);
  await jobs.reclaim();
  await jobs.drain();
  assert.equal(runs, 1);
  assert.deepEqual(await states(), [['dead', 4]]);
});

test('a full disk or a lost database is no failure of a job: it comes again for as long as that lasts', async () => {
  const { jobs, db } = app.deps;
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  let ran = false;
  jobs.register('test', () => (ran ? Promise.resolve() : Promise.reject(full)), { maxAttempts: 1 });
  await jobs.enqueue(db, 'test', {});
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await jobs.drain();
    assert.deepEqual(await states(), [['waiting', 0]]);
    clock.advance(3_600_000);
  }
  ran = true;
  await jobs.drain();
  assert.deepEqual(await states(), []);
});

test('jobs that a clock which ran ahead has put far into the future come back', async () => {
  const { jobs, db } = app.deps;
  const year = 365 * 24 * 3_600_000;
  const seen: string[] = [];
  jobs.register<{ name: string }>('test', async ({ name }) => {
    if (name === 'failed' && seen.push('attempt') === 1) throw new Error('no');
    seen.push(name);
  });
  clock.advance(year);
  await jobs.enqueue(db, 'test', { name: 'enqueued' });
  await jobs.enqueue(db, 'test', { name: 'delayed' }, { runAt: new Date(clock.now().getTime() + 600_000) });
  clock.advance(-year);
  await jobs.enqueue(db, 'test', { name: 'failed' });
  clock.advance(year);
  await db
    .updateTable('jobs')
    .set({ state: 'running', attempts: 1, lease_until: new Date(clock.now().getTime() + year).toISOString() })
    .where('payload', 'like', '%failed%')
    .execute();
  clock.advance(-year);
  await jobs.drain();
  assert.deepEqual(seen, ['attempt']);
  await db
    .updateTable('jobs')
    .set({ run_at: new Date(clock.now().getTime() + year).toISOString() })
    .where('payload', 'like', '%failed%')
    .execute();
  assert.equal(await bringBackJobs(db, clock.now(), 3_600_000), 3);
  await jobs.drain();
  assert.deepEqual(seen.slice(1).sort(), ['attempt', 'enqueued', 'failed']);
  clock.advance(660_000);
  await jobs.drain();
  assert.equal(seen.at(-1), 'delayed');
});
