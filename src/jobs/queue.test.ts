import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';

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
