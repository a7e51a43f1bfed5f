import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { jobKind } from './jobs.kinds.ts';

const DAY_MS = 86_400_000;
const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_EVENT_DAYS: '10', STITHY_DEAD_JOB_DAYS: '20' } });
  await app.deps.jobs.maintain();
});
after(() => app.close());

const events = async () =>
  (await app.deps.db.selectFrom('domain_events').select('id').orderBy('id').execute()).map(({ id }) => id);

test('old events go once nothing follows them, and dead jobs after their days', async () => {
  const { db, events: bus, jobs } = app.deps;
  const kind = jobKind<object>('test.follows', { lane: 'events', maxAttempts: 1 });
  jobs.register(kind, () => Promise.reject(new Error('no')));
  const ids: number[] = [];
  for (let n = 0; n < 2_500; n += 1) {
    ids.push(await bus.record(db, 'project.updated', { project_id: n }));
  }
  const followed = ids[1_200]!;
  await jobs.enqueue(db, kind, {}, { eventId: followed });
  clock.advance(9 * DAY_MS);
  await jobs.drain();
  const young = await bus.record(db, 'project.updated', { project_id: 1 });
  assert.ok((await events()).length > 2_500);
  clock.advance(2 * DAY_MS);
  await jobs.drain();
  assert.deepEqual(await events(), [followed, young]);
  const dead = async () => (await db.selectFrom('jobs').select('id').where('state', '=', 'dead').execute()).length;
  assert.equal(await dead(), 1);
  clock.advance(30 * DAY_MS);
  await jobs.drain();
  assert.equal(await dead(), 0);
  assert.deepEqual(await events(), []);
});
