import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../test/support/app.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { pipelineSeed } from '../../../test/support/pipelines.ts';
import type { JobSeed } from '../../ci/job-seed.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { cancelPipeline } from '../states/cancel.ts';
import { finishJob } from '../states/finish-job.ts';
import { retryJob, retryPipeline } from '../states/pipeline-states.retry.ts';
import { playJob } from '../states/play.ts';
import { type NewPipeline, savePipeline } from './pipeline-creation.save.ts';

const clock = new TestClock();
const SHA = 'a'.repeat(40);
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

const save = (jobs: Partial<JobSeed>[], columns: Partial<NewPipeline['columns']> = {}) =>
  savePipeline(
    app.deps,
    { project, userId: 1, variables: [], columns: { ref: 'main', source: 'push', sha: SHA, ...columns } },
    pipelineSeed(jobs),
  );
const deploy = (name: string, environment = 'production', more: Partial<JobSeed> = {}): Partial<JobSeed> => ({
  name,
  environment: {
    name: environment,
    url: null,
    onStop: null,
    action: 'start',
    autoStopIn: null,
    deploymentTier: null,
    kubernetes: null,
  },
  ...more,
});

describe('savePipeline', () => {
  it('enters jobs with what belongs to them, and lets the first begin', async () => {
    const pipeline = await save([
      { name: 'a', stage: 'build', stageIndex: 1, tags: ['y', 'x'], variables: [{ key: 'A', value: '1' }] },
      { name: 'b', stageIndex: 2, needs: [{ job: 'a', artifacts: false, optional: false }], when: 'manual' },
    ]);
    assert.equal(pipeline.iid, 1);
    assert.equal(await pipelines.states(pipeline.id), 'pending: a pending, b created');
    const [a, b] = await pipelines.jobs(pipeline.id);
    assert.deepEqual([a!.tag_list, b!.scheduling, b!.run_when], ['["x","y"]', 'dag', 'manual']);
    const config = await app.deps.db
      .selectFrom('ci_job_configs')
      .selectAll()
      .where('job_id', '=', a!.id)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(config.variables), [{ key: 'A', value: '1' }]);
    const need = await app.deps.db
      .selectFrom('ci_job_needs')
      .selectAll()
      .where('job_id', '=', b!.id)
      .executeTakeFirstOrThrow();
    assert.deepEqual([need.name, need.artifacts], ['a', 0]);
  });

  it('makes one pipeline for one event, however often and from wherever it is asked', async () => {
    const made = await Promise.all([1, 2, 3].map(() => save([{ name: 'a' }], { origin: 'push:1:main' })));
    assert.equal(new Set(made.map(({ id }) => id)).size, 1);
    assert.equal((await pipelines.jobs(made[0]!.id)).length, 1);
  });

  it('makes environments, deployments and resource groups, each once', async () => {
    const pipeline = await save([
      deploy('one', 'review/x', { resourceGroup: 'r' }),
      deploy('two', 'review/x', { resourceGroup: 'r' }),
    ]);
    const environments = await app.deps.db
      .selectFrom('environments')
      .selectAll()
      .where('project_id', '=', project.id)
      .execute();
    assert.deepEqual(
      environments.map(({ name, tier, state }) => [name, tier, state]),
      [['review/x', 'development', 'available']],
    );
    const deployments = await app.deps.db
      .selectFrom('deployments')
      .selectAll()
      .where('project_id', '=', project.id)
      .orderBy('iid')
      .execute();
    assert.deepEqual(
      deployments.map(({ iid, status }) => [iid, status]),
      [
        [1, 'created'],
        [2, 'created'],
      ],
    );
    assert.equal(
      await pipelines.states(pipeline.id),
      'waiting_for_resource: one waiting_for_resource, two waiting_for_resource',
    );
  });

  it('fails a job whose environment cannot be, and no other', async () => {
    const pipeline = await save([deploy('bad', 'a$b'), { name: 'good' }]);
    assert.equal((await pipelines.job(pipeline.id, 'bad')).failure_reason, 'environment_creation_failure');
    assert.equal((await pipelines.job(pipeline.id, 'good')).status, 'pending');
  });

  it('does not deploy what is older than what is deployed', async () => {
    const old = await save([deploy('a')]);
    const fresh = await save([deploy('a')], { sha: 'b'.repeat(40) });
    await pipelines.run(fresh.id, 'a');
    const blocked = await save([{ name: 'first', stageIndex: 1 }, deploy('a', 'production', { stageIndex: 2 })]);
    await pipelines.run(old.id, 'a');
    await save([deploy('a')], { sha: 'c'.repeat(40) }).then(({ id }) => pipelines.run(id, 'a'));
    await pipelines.run(blocked.id, 'first');
    assert.equal((await pipelines.job(blocked.id, 'a')).failure_reason, 'failed_outdated_deployment_job');
    const statuses = await app.deps.db
      .selectFrom('deployments')
      .select('status')
      .where('project_id', '=', project.id)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['success', 'success', 'failed', 'success'],
    );
  });
});

it('nobody rolls a deployment back where the project does not want it', async () => {
  for (const allowed of [true, false]) {
    const settings = JSON.stringify({ ci_forward_deployment_rollback_allowed: allowed });
    project = await app.make.project({ columns: { settings } });
    const waiting = await save([deploy('ask', 'production', { when: 'manual' })]);
    const old = await save([deploy('a')]);
    await pipelines.run(old.id, 'a');
    const fresh = await save([deploy('a')], { sha: 'b'.repeat(40) });
    await pipelines.run(fresh.id, 'a');
    const ask = await pipelines.job(waiting.id, 'ask');
    assert.equal(await playJob(app.deps, ask.id, { userId: 1 }), null);
    const again = await retryJob(app.deps, (await pipelines.job(old.id, 'a')).id, { userId: 1 });
    assert.equal(again?.status, allowed ? 'pending' : undefined);
  }
});

it('a pipeline of 2,000 jobs is made, canceled and retried like any other', async () => {
  const jobs = Array.from({ length: 2000 }, (_, n) => ({ name: `job ${n}`, tags: ['linux'] }));
  const { id, status } = await save(jobs);
  assert.equal(status, 'pending');
  assert.equal((await cancelPipeline(app.deps, id))?.status, 'canceled');
  assert.equal((await retryPipeline(app.deps, id, { userId: 1 }))?.status, 'pending');
  const all = await pipelines.jobs(id);
  assert.equal(all.filter(({ retried }) => retried === 0).length, 2000);
  assert.equal(all.length, 4000);
  const configs = await app.deps.db
    .selectFrom('ci_job_configs')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_job_configs.job_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('ci_jobs.pipeline_id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(Number(configs.count), 4000);
});

describe('resource groups', () => {
  it('let one job at a time use what they stand for', async () => {
    const first = await save([{ name: 'a', resourceGroup: 'r' }]);
    const second = await save([{ name: 'a', resourceGroup: 'r' }], { sha: 'b'.repeat(40), ref: 'other' });
    await app.drain();
    assert.equal(await pipelines.states(first.id), 'pending: a pending');
    assert.equal(await pipelines.states(second.id), 'waiting_for_resource: a waiting_for_resource');
    await pipelines.run(first.id, 'a');
    await app.drain();
    assert.equal(await pipelines.states(second.id), 'pending: a pending');
  });

  it('go to the newest or the oldest, as they say', async () => {
    for (const [mode, expected] of [
      ['newest_ready_first', ['c', 'b', 'a']],
      ['oldest_first', ['a', 'b', 'c']],
      ['newest_first', ['c', 'b', 'a']],
    ] as const) {
      project = await app.make.project();
      const made = [];
      for (const ref of ['a', 'b', 'c']) made.push(await save([{ name: ref, resourceGroup: 'r' }], { ref }));
      await app.deps.db
        .updateTable('resource_groups')
        .set({ process_mode: mode })
        .where('project_id', '=', project.id)
        .execute();
      const order: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        await app.drain();
        for (const pipeline of made) {
          const [job] = await pipelines.jobs(pipeline.id);
          if (job!.status !== 'pending') continue;
          order.push(job!.name);
          await pipelines.start(pipeline.id, job!.name);
          await finishJob(app.deps, job!.id, { status: 'success' });
        }
      }
      assert.deepEqual(order, expected, mode);
    }
  });
});

describe('redundant pipelines', () => {
  const interruptible = { name: 'a', interruptible: true };

  it('are canceled by a newer one of the ref, unless something that must not be stopped has begun', async () => {
    const waiting = await save([{ name: 'a' }]);
    const begun = await save([{ name: 'a' }, { name: 'b' }], { sha: '1'.repeat(40) });
    await pipelines.start(begun.id, 'a');
    const stoppable = await save([interruptible], { sha: '2'.repeat(40) });
    await pipelines.start(stoppable.id, 'a');
    const elsewhere = await save([{ name: 'a' }], { ref: 'other' });
    const newest = await save([{ name: 'a' }], { sha: 'b'.repeat(40) });
    await app.drain();
    assert.equal(await pipelines.states(waiting.id), 'canceled: a canceled');
    assert.equal((await pipelines.get(waiting.id)).auto_canceled_by_id, begun.id);
    assert.equal((await pipelines.get(stoppable.id)).auto_canceled_by_id, newest.id);
    assert.equal(await pipelines.states(begun.id), 'running: a running, b pending');
    assert.equal(await pipelines.states(stoppable.id), 'canceled: a canceled');
    assert.equal(await pipelines.states(elsewhere.id), 'pending: a pending');
  });

  it('say themselves what goes', async () => {
    const none = await save([{ name: 'a' }]);
    const some = await save([interruptible, { name: 'b' }]);
    const set = (id: number, on_new_commit: 'none' | 'interruptible') =>
      app.deps.db.updateTable('pipelines').set({ on_new_commit }).where('id', '=', id).execute();
    await set(none.id, 'none');
    await set(some.id, 'interruptible');
    await save([{ name: 'a' }], { sha: 'b'.repeat(40) });
    await app.drain();
    assert.equal(await pipelines.states(none.id), 'pending: a pending');
    assert.equal(await pipelines.states(some.id), 'running: a canceled, b pending');
  });

  it('stay where the project wants that', async () => {
    project = await app.make.project({ columns: { settings: '{"auto_cancel_pending_pipelines":"disabled"}' } });
    const old = await save([{ name: 'a' }]);
    await save([{ name: 'a' }], { sha: 'b'.repeat(40) });
    await app.drain();
    assert.equal(await pipelines.states(old.id), 'pending: a pending');
  });
});

it('starts a delayed job when its time has come', async () => {
  const pipeline = await save([{ name: 'later', when: 'delayed', startIn: 90 }]);
  await app.drain();
  assert.equal((await pipelines.job(pipeline.id, 'later')).status, 'scheduled');
  clock.advance(91_000);
  await app.drain();
  assert.equal((await pipelines.job(pipeline.id, 'later')).status, 'pending');
});
