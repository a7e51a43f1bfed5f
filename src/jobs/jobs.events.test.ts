import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';

let app: TestApp;
beforeEach(async () => {
  app = await buildTestApp();
});
afterEach(() => app.close());

const jobsOf = async (name: string) =>
  (await app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', `event:${name}`).orderBy('id').execute()).map(
    ({ event_id, order_key, project_id }) => ({ event_id, order_key, project_id }),
  );

test('a subscriber that does not want an event costs no job', async () => {
  const { events, db } = app.deps;
  events.subscribe({
    name: 'test.picky',
    types: ['project.updated'],
    wants: ({ payload }) => payload.project_id === 2,
    handle: async () => {},
  });
  await events.record(db, 'project.updated', { project_id: 1 }, { projectId: 1 });
  assert.deepEqual(await jobsOf('test.picky'), []);
  const id = await events.record(db, 'project.updated', { project_id: 2 }, { projectId: 2 });
  assert.deepEqual(await jobsOf('test.picky'), [{ event_id: id, order_key: null, project_id: 2 }]);
});

test('what a subscriber wants is decided in the transaction of the event, by what that has written', async () => {
  const { events, db } = app.deps;
  events.subscribe({
    name: 'test.within',
    types: ['project.updated'],
    wants: async (_event, db) =>
      (await db.selectFrom('instance_values').select('key').where('key', '=', 'test.hook').executeTakeFirst()) !==
      undefined,
    handle: async () => {},
  });
  await db.transaction().execute(async (db) => {
    await events.record(db, 'project.updated', { project_id: 1 });
    await db.insertInto('instance_values').values({ key: 'test.hook', value: '1' }).execute();
    await events.record(db, 'project.updated', { project_id: 1 });
  });
  assert.equal((await jobsOf('test.within')).length, 1);
});

test('a subscriber gets one job for each of its targets, with what it has noted, in order for each key', async () => {
  const { events, db, jobs } = app.deps;
  const seen: unknown[] = [];
  events.subscribe({
    name: 'test.hooks',
    types: ['project.updated'],
    lane: 'outgoing',
    wants: ({ payload }) => [1, 2].map((hook) => ({ orderKey: `hook:${hook}`, data: { hook, n: payload.project_id } })),
    handle: async (event, { data }) => {
      seen.push([event.payload.project_id, data]);
    },
  });
  for (const project_id of [10, 20]) await events.record(db, 'project.updated', { project_id });
  await jobs.drain();
  assert.deepEqual(
    seen.filter((entry) => (entry as [number, { hook: number }])[1].hook === 1),
    [
      [10, { hook: 1, n: 10 }],
      [20, { hook: 1, n: 20 }],
    ],
  );
  assert.equal(seen.length, 4);
});

test('an event of a kind that is not known, or that has gone, leaves a dead job that says so', async () => {
  const { events, db, jobs } = app.deps;
  events.subscribe({ name: 'test.reads', types: ['project.updated'], handle: async () => assert.fail('not known') });
  const later = await events.record(db, 'project.updated', { project_id: 1 });
  const gone = await events.record(db, 'project.updated', { project_id: 2 });
  await db.updateTable('domain_events').set({ type: 'project.levitated' }).where('id', '=', later).execute();
  await db.deleteFrom('domain_events').where('id', '=', gone).execute();
  await jobs.drain();
  const dead = await db
    .selectFrom('jobs')
    .select(['state', 'last_error'])
    .where('kind', '=', 'event:test.reads')
    .execute();
  assert.deepEqual(
    dead.map(({ state, last_error }) => [state, last_error]),
    [
      ['dead', `event ${later} has the kind project.levitated, which this version does not know`],
      ['dead', `event ${gone} does not exist any more`],
    ],
  );
});

test('all jobs of an event are written by one statement', async () => {
  const statements: string[] = [];
  const counted = await buildTestApp({ onQuery: ({ sql }) => statements.push(sql) });
  const { events, db } = counted.deps;
  statements.length = 0;
  await events.record(
    db,
    'push',
    { project_id: 1, updates: [], push_options: [], via: 'git' },
    { projectId: 1, actorId: 1 },
  );
  await counted.close();
  assert.equal(statements.filter((sql) => /insert into "jobs"/.test(sql)).length, 1);
});
