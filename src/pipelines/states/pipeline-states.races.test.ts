import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { type MadeJob, makePipeline } from '../../../test/support/pipelines.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { cancelJob, cancelPipeline } from './cancel.ts';
import { finishJob } from './finish-job.ts';
import { processPipeline } from './pipeline-states.process.ts';
import { assignResource } from './pipeline-states.resource-groups.ts';
import { retryJob, retryPipeline } from './pipeline-states.retry.ts';
import { playJob } from './play.ts';

/*
 * What happens to one pipeline at the same moment, each from a connection of its own where the database has several.
 */
let app: TestApp;
let pipelines: Pipelines;
let project: Project;
before(async () => {
  app = await buildTestApp();
  pipelines = new Pipelines(app);
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

const ROUNDS = 4;
const USER = { userId: 1 };
const make = (jobs: MadeJob[]) => makePipeline(app, project, { jobs, process: true });
const process = (id: number) => app.deps.db.transaction().execute((db) => processPipeline(app.deps, db, id));
const pending = async () =>
  (await app.deps.db.selectFrom('ci_pending_jobs').select('job_id').where('project_id', '=', project.id).execute()).map(
    ({ job_id }) => job_id,
  );

/** What must hold whatever came first: runners see just the jobs that wait. */
async function check(pipelineId: number): Promise<void> {
  const jobs = await pipelines.jobs(pipelineId);
  const waiting = jobs.filter(({ status, kind }) => status === 'pending' && kind === 'build').map(({ id }) => id);
  assert.deepEqual((await pending()).filter((id) => jobs.some((job) => job.id === id)).sort(), waiting.sort());
  const latest = jobs.filter(({ retried }) => retried === 0).map(({ name }) => name);
  assert.equal(new Set(latest).size, latest.length, 'one latest job of each name');
  const before = await pipelines.states(pipelineId);
  await process(pipelineId);
  assert.equal(await pipelines.states(pipelineId), before, 'nothing was left to do');
}

it('all jobs of a stage end at once: the next begins, once', async () => {
  const names = Array.from({ length: 6 }, (_, n) => `a${n}`);
  const { pipeline } = await make([...names.map((name) => ({ name, stage: 'build' })), { name: 'b' }]);
  const ids: number[] = [];
  for (const name of names) ids.push((await pipelines.start(pipeline.id, name)).id);
  await Promise.all(ids.map((id) => finishJob(app.deps, id, { status: 'success' })));
  assert.equal((await pipelines.job(pipeline.id, 'b')).status, 'pending');
  const jobEvents = await app.deps.db
    .selectFrom('domain_events')
    .select('payload')
    .where('project_id', '=', project.id)
    .where('type', '=', 'job.updated')
    .execute();
  const b = (await pipelines.job(pipeline.id, 'b')).id;
  assert.equal(jobEvents.filter(({ payload }) => JSON.parse(payload).job_id === b).length, 1);
  await check(pipeline.id);
});

it('a pipeline is canceled while its jobs end and begin', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { pipeline, jobs } = await make([
      { name: 'a', stage: 'build' },
      { name: 'b', stage: 'build' },
      { name: 'c' },
    ]);
    const { id } = await pipelines.start(pipeline.id, 'a');
    await Promise.all([
      cancelPipeline(app.deps, pipeline.id, USER),
      finishJob(app.deps, id, { status: 'success' }),
      pipelines.startRow(jobs.b!).catch(() => null),
      process(pipeline.id),
    ]);
    await check(pipeline.id);
    assert.ok(['canceled', 'success'].includes((await pipelines.job(pipeline.id, 'a')).status));
    assert.equal((await pipelines.job(pipeline.id, 'b')).status, 'canceled');
  }
});

it('a job and its pipeline are retried, played and canceled at once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { pipeline, jobs } = await make([
      { name: 'a', stage: 'build', status: 'failed' },
      { name: 'ask', stage: 'build', when: 'manual', allowFailure: true },
      { name: 'c', status: 'skipped' },
    ]);
    await Promise.all([
      retryJob(app.deps, jobs.a!.id, USER),
      retryJob(app.deps, jobs.a!.id, USER),
      retryPipeline(app.deps, pipeline.id, USER),
      playJob(app.deps, jobs.ask!.id, USER),
      playJob(app.deps, jobs.ask!.id, USER),
      cancelJob(app.deps, jobs.ask!.id),
      process(pipeline.id),
    ]);
    await check(pipeline.id);
    const made = (await pipelines.jobs(pipeline.id)).filter(({ name }) => name === 'a');
    assert.equal(made.length, 2);
  }
});

it('a resource that becomes free goes to one of those that wait, however many look', async () => {
  const now = new Date().toISOString();
  const { id: resource_group_id } = await app.deps.db
    .insertInto('resource_groups')
    .values({ project_id: project.id, key: 'r', process_mode: 'unordered', created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const made = [];
  for (let n = 0; n < 4; n += 1) {
    made.push((await make([{ name: 'a', columns: { resource_group_id } }])).pipeline);
  }
  for (let left = made.length; left > 0; left -= 1) {
    await Promise.all([1, 2, 3, 4].map(() => assignResource(app.deps, resource_group_id)));
    const waiting = await pending();
    assert.equal(waiting.length, 1);
    for (const { id } of made) {
      if ((await pipelines.job(id, 'a')).status === 'pending') await pipelines.run(id, 'a');
    }
  }
  for (const { id } of made) assert.equal((await pipelines.get(id)).status, 'success');
});
