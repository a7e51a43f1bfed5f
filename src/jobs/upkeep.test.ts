import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { claimJobs } from './claim.ts';
import { jobKind } from './kinds.ts';
import { settleJobs } from './settle.ts';
import { freeHeld } from './upkeep.ts';

const KIND = jobKind<object>('test.upkeep', { lane: 'git' });

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
beforeEach(() => app.deps.db.deleteFrom('jobs').execute());
after(() => app.close());

/** Takes what is due as a process of that name. */
async function take(claim: string) {
  const { db, config } = app.deps;
  const now = new Date().toISOString();
  const wanted = { lane: 'git', kinds: [KIND.name], limit: 10, now, claim };
  return db.transaction().execute((db) => claimJobs(db, config.database.kind === 'postgres', wanted));
}

const rows = () => app.deps.db.selectFrom('jobs').selectAll().orderBy('id').execute();

test('jobs of a process that has died are taken over, those of others are not', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, {});
  const [dead] = await take('7:dead.1');
  await jobs.enqueue(db, KIND, {});
  const [living] = await take('77:living.1');
  await jobs.takeOver(7);
  const states = async () => (await rows()).map(({ id, state }) => [id, state]);
  assert.deepEqual(await states(), [
    [dead!.id, 'waiting'],
    [living!.id, 'running'],
  ]);
  await take('8:other.1');
  await jobs.takeOverUnknown([8]);
  assert.deepEqual(await states(), [
    [dead!.id, 'running'],
    [living!.id, 'waiting'],
  ]);
});

test('a process that was taken for dead changes nothing about the job that another one runs by then', async () => {
  const { db, jobs } = app.deps;
  await jobs.enqueue(db, KIND, {});
  const [first] = await take('5:slow.1');
  await jobs.takeOver(5);
  const [second] = await take('6:quick.1');
  assert.equal(second!.id, first!.id);
  await db.transaction().execute((db) => settleJobs(db, [{ job: first!, to: 'done' }]));
  const again = { state: 'waiting', runAt: '2020-01-01T00:00:00.000Z', attempts: 7, error: 'late' } as const;
  await db.transaction().execute((db) => settleJobs(db, [{ job: first!, to: again }]));
  assert.deepEqual(
    (await rows()).map(({ state, claim, attempts }) => [state, claim, attempts]),
    [['running', '6:quick.1', 2]],
  );
  await db.transaction().execute((db) => settleJobs(db, [{ job: second!, to: 'done' }]));
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

test('jobs that are held for one that was removed by hand go on', async () => {
  const { db, jobs } = app.deps;
  for (let n = 0; n < 3; n += 1) await jobs.enqueue(db, KIND, {}, { orderKey: 'key' });
  const [first, ...others] = await take('one.1');
  assert.equal(others.length, 0);
  const states = async () => (await rows()).map(({ state }) => state);
  assert.deepEqual(await states(), ['running', 'held', 'held']);
  await db.deleteFrom('jobs').where('id', '=', first!.id).execute();
  await freeHeld(db);
  assert.deepEqual(await states(), ['waiting', 'held']);
});
