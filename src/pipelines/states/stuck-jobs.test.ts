import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { makePipeline } from '../../../test/support/pipelines.ts';
import { timestamp } from '../../core/clock.ts';
import type { Project } from '../../db/tables/projects.table.ts';

const HOUR_MS = 3_600_000;
const clock = new TestClock();
let app: TestApp;
let pipelines: Pipelines;
let project: Project;
before(async () => {
  app = await buildTestApp({ clock });
  pipelines = new Pipelines(app);
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

const make = (jobs: Parameters<typeof makePipeline>[2]) => makePipeline(app, project, jobs);
async function pass(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await app.deps.jobs.maintain();
  await app.drain();
}
const ends = async (pipelineId: number) =>
  (await pipelines.jobs(pipelineId)).map(({ name, status, failure_reason }) => `${name} ${status} ${failure_reason}`);

it('a job that runs past its time ends then, and one without a sign of life after an hour', async () => {
  const { pipeline } = await make({ jobs: [{ name: 'short' }, { name: 'silent' }], process: true });
  const { id, started_at } = await pipelines.start(pipeline.id, 'short');
  await app.deps.db.updateTable('ci_jobs').set({ timeout: 600 }).where('id', '=', id).execute();
  const silent = await pipelines.start(pipeline.id, 'silent');
  await app.deps.db.updateTable('ci_jobs').set({ timeout: 86_400 }).where('id', '=', silent.id).execute();
  await pass(1400_000);
  assert.deepEqual(await ends(pipeline.id), ['short running null', 'silent running null']);
  await pass(400_000);
  assert.deepEqual(await ends(pipeline.id), ['short failed job_execution_timeout', 'silent running null']);
  const { finished_at } = await pipelines.job(pipeline.id, 'short');
  assert.equal(Date.parse(finished_at!) - Date.parse(started_at!), 600_000);
  await pass(HOUR_MS);
  assert.deepEqual((await ends(pipeline.id))[1], 'silent failed stuck_or_timeout_failure');
});

it('jobs go on after hours of maintenance, in which runners could say nothing of them', async () => {
  const { pipeline } = await make({
    jobs: [{ name: 'short' }, { name: 'long' }, { name: 'waiting', tags: ['nobody'] }],
    process: true,
  });
  const maintain = (maintenance_mode: boolean) => app.put('/application/settings', { json: { maintenance_mode } });
  for (const [name, timeout] of [
    ['short', 600],
    ['long', 86_400],
  ] as const) {
    const { id } = await pipelines.start(pipeline.id, name);
    await app.deps.db.updateTable('ci_jobs').set({ timeout }).where('id', '=', id).execute();
  }
  expectStatus(await maintain(true), 200);
  for (let hour = 0; hour < 3; hour += 1) await pass(HOUR_MS);
  expectStatus(await maintain(false), 200);
  await pass(600_000);
  assert.deepEqual(await ends(pipeline.id), ['short running null', 'long running null', 'waiting pending null']);
  // Their time begins anew: a runner that is gone does not come back.
  await pass(600_000);
  assert.deepEqual((await ends(pipeline.id))[0], 'short failed job_execution_timeout');
  await pass(HOUR_MS);
  assert.deepEqual((await ends(pipeline.id)).slice(1), [
    'long failed stuck_or_timeout_failure',
    'waiting failed stuck_or_timeout_failure',
  ]);
});

it('a job that is being canceled and never ends is canceled', async () => {
  const { pipeline } = await make({ jobs: [{ name: 'a', status: 'canceling' }] });
  await pass(2 * HOUR_MS);
  assert.deepEqual(await ends(pipeline.id), ['a canceled job_execution_server_timeout']);
});

it('a job waits a day for a runner, and an hour where none is online that may take it', async () => {
  const now = timestamp(clock);
  const tags = { tag_list: '["known"]', digest: 'd', short_token: 's', registration: 'user' };
  await app.deps.db
    .insertInto('ci_runners')
    .values({
      ...tags,
      runner_type: 'instance_type',
      access_level: 'not_protected',
      created_at: now,
      updated_at: now,
    } as never)
    .execute();
  const heard = () =>
    app.deps.db
      .updateTable('ci_runners')
      .set({ contacted_at: timestamp(clock) })
      .execute();
  await heard();
  const { pipeline } = await make({
    jobs: [
      { name: 'known', tags: ['known'] },
      { name: 'unknown', tags: ['unknown'] },
    ],
    process: true,
  });
  await pass(HOUR_MS + 60_000);
  assert.deepEqual(await ends(pipeline.id), ['known pending null', 'unknown failed stuck_or_timeout_failure']);
  for (let hour = 0; hour < 23; hour += 1) {
    await heard();
    await pass(HOUR_MS);
  }
  assert.deepEqual((await ends(pipeline.id))[0], 'known failed stuck_or_timeout_failure');
});

it('a delayed job whose time nobody saw fails', async () => {
  const { pipeline } = await make({ jobs: [{ name: 'a', when: 'delayed', columns: { start_in: 60 } }], process: true });
  await app.deps.db.deleteFrom('jobs').where('kind', '=', 'ci.start-delayed').execute();
  await pass(HOUR_MS + 300_000);
  assert.deepEqual(await ends(pipeline.id), ['a failed stale_schedule']);
});

it('nothing runs for a user who is blocked or removed, nor for somebody else in their place', async () => {
  for (const remove of [false, true]) {
    const { user } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const retry = { max: 2, when: ['always'], exitCodes: null };
    const { pipeline } = await make({
      jobs: [
        { name: 'a', stage: 'build', columns: { user_id: user.id }, options: { retry } },
        { name: 'b', stage: 'test', columns: { user_id: user.id } },
        { name: 'ask', stage: 'test', when: 'manual', allowFailure: true, columns: { user_id: user.id } },
      ],
      process: true,
    });
    await pipelines.start(pipeline.id, 'a');
    if (remove) expectStatus(await app.delete(`/users/${user.id}`), 204);
    else expectStatus(await app.post(`/users/${user.id}/block`), 201);
    await app.drain();
    const [a, b] = await ends(pipeline.id);
    assert.deepEqual([a, b], ['a failed user_blocked', 'b failed user_blocked'], `removed: ${remove}`);
  }
});

it('pipelines go when they are older than the project keeps them', async () => {
  project = await app.make.project({ columns: { settings: '{"ci_delete_pipelines_in_seconds":86400}' } });
  const old = await make({ jobs: [{ name: 'a', status: 'success' }] });
  const child = await make({ columns: { parent_id: old.pipeline.id } });
  await pass(30 * HOUR_MS);
  const fresh = await make({});
  await pass(24 * HOUR_MS - 1000);
  const left = await app.deps.db.selectFrom('pipelines').select('id').where('project_id', '=', project.id).execute();
  assert.deepEqual(
    left.map(({ id }) => id),
    [fresh.pipeline.id],
  );
  assert.deepEqual(await pipelines.jobs(child.pipeline.id), []);
});
