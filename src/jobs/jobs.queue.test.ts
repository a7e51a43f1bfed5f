import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { jobKind } from './jobs.kinds.ts';

const clock = new TestClock();
let app: TestApp;
beforeEach(async () => {
  app = await buildTestApp({ clock });
});
afterEach(() => app.close());

const TEST = jobKind<{ n: number }>('test', { lane: 'events', maxAttempts: 3 });

const states = async () =>
  (await app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', 'test').orderBy('id').execute()).map(
    ({ state, attempts }) => [state, attempts],
  );

test('a job runs once, also when it was written twice under its key, and is gone', async () => {
  const { jobs, db } = app.deps;
  const seen: number[] = [];
  jobs.register(TEST, async ({ n }) => {
    seen.push(n);
  });
  await jobs.enqueue(db, TEST, { n: 1 }, { uniqueKey: 'key' });
  await jobs.enqueue(db, TEST, { n: 2 }, { uniqueKey: 'key' });
  await jobs.drain();
  assert.deepEqual(seen, [1]);
  assert.deepEqual(await states(), []);
});

test('a waiting job can be taken back, once', async () => {
  const { jobs, db } = app.deps;
  jobs.register(TEST, () => assert.fail('it was taken back'));
  await jobs.enqueue(db, TEST, { n: 1 }, { uniqueKey: 7 });
  assert.equal(await jobs.cancel(db, TEST, 7), true);
  assert.equal(await jobs.cancel(db, TEST, 7), false);
  await jobs.drain();
});

test('a failed job comes again after a pause, and is kept as dead after its last attempt', async () => {
  const { jobs, db } = app.deps;
  jobs.register(TEST, () => Promise.reject(new Error('no')));
  await jobs.enqueue(db, TEST, { n: 1 });
  await jobs.drain();
  assert.deepEqual(await states(), [['waiting', 1]]);
  for (let attempt = 2; attempt <= 4; attempt += 1) {
    clock.advance(3_600_000);
    await jobs.drain();
  }
  assert.deepEqual(await states(), [['dead', 3]]);
});

test('the job of a killed process is taken up again, but not for ever', async () => {
  const { jobs, db } = app.deps;
  let runs = 0;
  jobs.register(TEST, async () => {
    runs += 1;
  });
  for (const attempts of [1, 3]) {
    await jobs.enqueue(db, TEST, { n: attempts });
    await db
      .updateTable('jobs')
      .set({ state: 'running', claim: 'dead.1', attempts })
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
  jobs.register(TEST, () => (ran ? Promise.resolve() : Promise.reject(full)));
  await jobs.enqueue(db, TEST, { n: 1 });
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
  const kind = jobKind<{ name: string }>('test', { lane: 'events' });
  jobs.register(kind, async ({ name }) => {
    if (name === 'failed' && seen.push('attempt') === 1) throw new Error('no');
    seen.push(name);
  });
  clock.advance(year);
  await jobs.enqueue(db, kind, { name: 'enqueued' });
  await jobs.enqueue(db, kind, { name: 'delayed' }, { runAt: new Date(clock.now().getTime() + 600_000) });
  clock.advance(-year);
  await jobs.enqueue(db, kind, { name: 'failed' });
  await jobs.drain();
  assert.deepEqual(seen, ['attempt']);
  const ahead = new Date(clock.now().getTime() + year).toISOString();
  await db.updateTable('jobs').set({ run_at: ahead, turn_at: ahead }).where('payload', 'like', '%failed%').execute();
  await jobs.maintain();
  await jobs.drain();
  assert.deepEqual(seen.slice(1).sort(), ['attempt', 'enqueued', 'failed']);
  clock.advance(660_000);
  await jobs.drain();
  assert.equal(seen.at(-1), 'delayed');
});

test('jobs of one key run in the order in which they were written, and what fails holds up those behind it alone', async () => {
  const { jobs, db } = app.deps;
  const seen: number[] = [];
  let fails = true;
  jobs.register(TEST, async ({ n }) => {
    if (n === 1 && fails) throw new Error('not yet');
    seen.push(n);
  });
  for (const n of [1, 2, 3]) await jobs.enqueue(db, TEST, { n }, { orderKey: 'a' });
  await jobs.enqueue(db, TEST, { n: 10 }, { orderKey: 'b' });
  await jobs.enqueue(db, TEST, { n: 20 });
  await jobs.drain();
  assert.deepEqual(seen, [10, 20]);
  fails = false;
  clock.advance(10_000);
  await jobs.drain();
  assert.deepEqual(seen, [10, 20, 1, 2, 3]);
});

test('what is behind a job that is taken back goes on', async () => {
  const { jobs, db } = app.deps;
  const seen: number[] = [];
  jobs.register(TEST, async ({ n }) => {
    if (n === 1) throw new Error('not yet');
    seen.push(n);
  });
  await jobs.enqueue(db, TEST, { n: 1 }, { orderKey: 'a', uniqueKey: 'first' });
  await jobs.enqueue(db, TEST, { n: 2 }, { orderKey: 'a' });
  await jobs.drain();
  assert.deepEqual(seen, []);
  assert.equal(await jobs.cancel(db, TEST, 'first'), true);
  await jobs.drain();
  assert.deepEqual(seen, [2]);
});

test('what is behind a job that is given up, or was removed by hand, goes on', async () => {
  const { jobs, db } = app.deps;
  const seen: number[] = [];
  jobs.register(TEST, async ({ n }) => {
    if (n === 1) throw Object.assign(new Error('never'), { permanent: true });
    seen.push(n);
  });
  for (const n of [1, 2, 3]) await jobs.enqueue(db, TEST, { n }, { orderKey: 'a' });
  await jobs.drain();
  assert.deepEqual(seen, [2, 3]);
  assert.deepEqual(await states(), [['dead', 1]]);
});

/** The content of the log after it was written. */
async function logged(): Promise<string> {
  while (app.logLines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  return app.logLines.join('');
}

test('a job of a kind that nobody knows is kept, told of, and taken by the version that knows it', async () => {
  const { jobs, db } = app.deps;
  await jobs.enqueue(db, jobKind<object>('test.later', { lane: 'git' }), {});
  clock.advance(700_000);
  await jobs.drain();
  await jobs.maintain();
  const lane = async () =>
    (await db.selectFrom('jobs').select('lane').where('kind', '=', 'test.later').executeTakeFirst())?.lane;
  assert.equal(await lane(), 'unknown');
  assert.match(await logged(), /kinds that this version does not know.*test\.later/);
  let ran = false;
  jobs.register(jobKind<object>('test.later', { lane: 'git' }), async () => {
    ran = true;
  });
  await jobs.maintain();
  assert.equal(await lane(), 'git');
  await jobs.drain();
  assert.equal(ran, true);
});

test('jobs of earlier versions, which knew no lanes, find theirs', async () => {
  const { jobs, db } = app.deps;
  let ran = false;
  jobs.register(TEST, async () => {
    ran = true;
  });
  await jobs.enqueue(db, TEST, { n: 1 });
  await db.updateTable('jobs').set({ lane: '' }).execute();
  jobs.start();
  while (!ran) await new Promise((resolve) => setTimeout(resolve, 10));
});

test('a drain that claims several jobs at once runs them in their order, one of a key after the other, and what they ask for', async () => {
  const { jobs, db } = app.deps;
  const seen: number[] = [];
  let running = 0;
  jobs.register(TEST, async ({ n }) => {
    running += 1;
    assert.equal(running, 1);
    seen.push(n);
    if (n === 2) await jobs.enqueue(db, TEST, { n: 6 });
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (n === 3) throw new Error('no');
  });
  const inOrder = { orderKey: 'key' };
  for (const n of [1, 2]) await jobs.enqueue(db, TEST, { n }, inOrder);
  for (const n of [3, 4]) await jobs.enqueue(db, TEST, { n });
  await jobs.enqueue(db, TEST, { n: 5 }, inOrder);
  await jobs.drain(0, { atOnce: 3 });
  assert.deepEqual(
    [1, 2, 5].map((n) => seen.indexOf(n)),
    [1, 2, 5].map((n) => seen.indexOf(n)).toSorted((one, other) => one - other),
  );
  assert.deepEqual(seen.toSorted(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await states(), [['waiting', 1]]);
});

test('what recurs runs once in a drain, though it is due again before the end of what is looked ahead', async () => {
  const { jobs } = app.deps;
  let runs = 0;
  // Five seconds before a full minute.
  clock.advance(55_000 - (clock.now().getTime() % 60_000));
  const next = new Date(clock.now().getTime() + 5_000).toISOString().slice(11, 16);
  jobs.every(jobKind<Record<string, never>>('recurs', { lane: 'slow' }), { dailyAt: next }, async () => {
    runs += 1;
  });
  await jobs.maintain();
  clock.advance(86_400_000);
  await jobs.drain(15_000);
  assert.equal(runs, 1);
});
