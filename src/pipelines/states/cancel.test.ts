import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { type MadeJob, makePipeline } from '../../../test/support/pipelines.ts';
import { timestamp } from '../../core/clock.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { destroyPipeline } from '../removal/pipeline-removal.destroy.ts';
import { openedVariable } from '../variables/at-rest.ts';
import { cancelJob, cancelPipeline } from './cancel.ts';
import { finishJob } from './finish-job.ts';
import { retryJob, retryPipeline } from './pipeline-states.retry.ts';
import { playJob, unscheduleJob } from './play.ts';
import { startJob } from './start-job.ts';

let app: TestApp;
let pipelines: Pipelines;
let project: Project;
let someone: number;
before(async () => {
  app = await buildTestApp();
  pipelines = new Pipelines(app);
  someone = (await app.make.user()).user.id;
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

const make = (jobs: MadeJob[], columns = {}) => makePipeline(app, project, { jobs, columns, process: true });
const pending = () =>
  app.deps.db.selectFrom('ci_pending_jobs').selectAll().where('project_id', '=', project.id).execute();

/** A manager of a new runner. */
async function manager(features: Record<string, boolean>): Promise<number> {
  const now = timestamp(app.deps.clock);
  const runner = await app.deps.db
    .insertInto('ci_runners')
    .values({
      runner_type: 'instance_type',
      digest: `digest ${Math.random()}`,
      short_token: 'short',
      registration: 'user',
      access_level: 'not_protected',
      tag_list: '[]',
      created_at: now,
      updated_at: now,
    } as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id } = await app.deps.db
    .insertInto('ci_runner_managers')
    .values({ runner_id: runner.id, system_id: 's', features: JSON.stringify(features), created_at: now } as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

describe('cancelJob', () => {
  it('takes a job that waits from the runners, and skips what follows', async () => {
    const { pipeline, jobs } = await make([{ name: 'a', stage: 'build' }, { name: 'b' }]);
    assert.equal((await cancelJob(app.deps, jobs.a!.id))?.status, 'canceled');
    assert.equal(await pipelines.states(pipeline.id), 'canceled: a canceled, b skipped');
    assert.deepEqual(await pending(), []);
    assert.equal(await cancelJob(app.deps, jobs.a!.id), null);
    assert.equal(await cancelJob(app.deps, 999_999), null);
  });

  it('lets a runner that can bring a running job to its end itself, unless it is forced', async () => {
    const { pipeline, jobs } = await make([{ name: 'a' }]);
    await pipelines.start(pipeline.id, 'a', await manager({ cancel_gracefully: true }));
    assert.equal((await cancelJob(app.deps, jobs.a!.id))?.status, 'canceling');
    assert.equal(await pipelines.states(pipeline.id), 'canceling: a canceling');
    assert.equal(await cancelJob(app.deps, jobs.a!.id), null);
    assert.equal((await cancelJob(app.deps, jobs.a!.id, { force: true }))?.status, 'canceled');
    const other = await make([{ name: 'a' }]);
    await pipelines.start(other.pipeline.id, 'a', await manager({}));
    assert.equal((await cancelJob(app.deps, other.jobs.a!.id))?.status, 'canceled');
  });

  it('cannot cancel and start, or cancel and finish, the same job', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { pipeline, jobs } = await make([{ name: 'a' }]);
      const start = {
        runner: { id: 1 },
        managerId: null,
        tokenDigest: `race ${project.id} ${round}`,
        timeout: 1,
        timeoutSource: 2,
      };
      const [canceled, started] = await Promise.all([
        cancelJob(app.deps, jobs.a!.id),
        app.deps.db.transaction().execute((db) => startJob(app.deps, db, jobs.a!, start)),
      ]);
      assert.ok(canceled !== null);
      assert.equal(await pipelines.states(pipeline.id), 'canceled: a canceled', `started: ${started !== null}`);
      const other = await make([{ name: 'a' }]);
      await pipelines.start(other.pipeline.id, 'a');
      const [gone, finished] = await Promise.all([
        cancelJob(app.deps, other.jobs.a!.id),
        finishJob(app.deps, other.jobs.a!.id, { status: 'success' }),
      ]);
      assert.equal([gone, finished].filter((job) => job !== null).length, 1);
    }
  });
});

describe('cancelPipeline', () => {
  it('cancels whatever has not ended, and its child pipelines', async () => {
    const { pipeline } = await make([
      { name: 'done', stage: 'build', status: 'success' },
      { name: 'a' },
      { name: 'ask', when: 'manual', allowFailure: true },
      { name: 'later', when: 'delayed', columns: { start_in: 60 } },
      { name: 'last', stage: 'last' },
    ]);
    const child = await make([{ name: 'x' }], { parent_id: pipeline.id });
    await cancelPipeline(app.deps, pipeline.id, { userId: someone });
    assert.equal(
      await pipelines.states(pipeline.id),
      'canceled: done success, a canceled, ask canceled, later canceled, last canceled',
    );
    assert.equal(await pipelines.states(child.pipeline.id), 'canceled: x canceled');
    assert.equal(await cancelPipeline(app.deps, 999_999), undefined);
  });
});

describe('retryJob', () => {
  it('runs a job once more as a new one, with what was skipped after it', async () => {
    const { pipeline, jobs } = await make([
      { name: 'a', stage: 'build', tags: ['x'], options: { script: ['make'] } },
      { name: 'b', needs: ['a'] },
      { name: 'c', stage: 'last', needs: ['b'] },
      { name: 'd', stage: 'last' },
    ]);
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    assert.equal(await pipelines.states(pipeline.id), 'failed: a failed, b skipped, c skipped, d skipped');
    const made = await retryJob(app.deps, jobs.a!.id, { userId: someone });
    assert.deepEqual([made?.name, made?.status, made?.user_id], ['a', 'pending', someone]);
    assert.equal(await pipelines.states(pipeline.id), 'pending: b created, c created, d created, a pending');
    const { finished_at } = await pipelines.get(pipeline.id);
    assert.equal(finished_at, null);
    const config = await app.deps.db
      .selectFrom('ci_job_configs')
      .select('options')
      .where('job_id', '=', made!.id)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(config.options).script, ['make']);
    assert.equal(await retryJob(app.deps, jobs.a!.id, { userId: someone }), null);
    for (const name of ['a', 'b', 'c', 'd']) await pipelines.run(pipeline.id, name);
    assert.equal((await pipelines.get(pipeline.id)).status, 'success');
  });

  it('starts a manual job at once, with other values', async () => {
    const { pipeline, jobs } = await make([{ name: 'ask', when: 'manual' }]);
    await playJob(app.deps, jobs.ask!.id, { userId: someone, variables: [{ key: 'A', value: '1' }] });
    await pipelines.run(pipeline.id, 'ask');
    const same = await retryJob(app.deps, jobs.ask!.id, { userId: someone });
    const valuesOf = async (id: number) => {
      const rows = await app.deps.db.selectFrom('ci_job_variables').selectAll().where('job_id', '=', id).execute();
      return rows
        .map((row) => openedVariable(app.deps, 'ci_job_variables', row))
        .map(({ key, value }) => ({ key, value }));
    };
    assert.equal(same?.status, 'pending');
    assert.deepEqual(await valuesOf(same!.id), [{ key: 'A', value: '1' }]);
    await pipelines.run(pipeline.id, 'ask');
    const other = await playJob(app.deps, same!.id, { userId: someone, variables: [{ key: 'B', value: '2' }] });
    assert.deepEqual(await valuesOf(other!.id), [{ key: 'B', value: '2' }]);
  });

  it('does not retry what is at work', async () => {
    const { jobs } = await make([{ name: 'a' }]);
    assert.equal(await retryJob(app.deps, jobs.a!.id, { userId: someone }), null);
  });

  it('leaves what was imported as it is: it has no configuration, and would wait for ever', async () => {
    const { pipeline, jobs } = await make([
      { name: 'a', status: 'failed' },
      { name: 'ask', status: 'success', when: 'manual' },
      { name: 'b', status: 'skipped', stage: 'last' },
    ]);
    const ids = Object.values(jobs).map(({ id }) => id);
    await app.deps.db.deleteFrom('ci_job_configs').where('job_id', 'in', ids).execute();
    const was = await pipelines.states(pipeline.id);
    assert.equal(await retryJob(app.deps, jobs.a!.id, { userId: someone }), null);
    assert.equal(await playJob(app.deps, jobs.ask!.id, { userId: someone }), null);
    assert.equal((await retryPipeline(app.deps, pipeline.id, { userId: someone }))?.status, 'failed');
    assert.equal(await pipelines.states(pipeline.id), was);
  });

  it('makes one new job of two that are asked for at once', async () => {
    const { pipeline, jobs } = await make([{ name: 'a', status: 'failed' }]);
    const made = await Promise.all([1, 2].map(() => retryJob(app.deps, jobs.a!.id, { userId: someone })));
    assert.equal(made.filter((job) => job !== null).length, 1);
    assert.equal((await pipelines.jobs(pipeline.id)).length, 2);
  });
});

describe('retryPipeline', () => {
  it('runs what failed or was canceled once more, and lets what was skipped wait', async () => {
    const { pipeline, jobs } = await make([
      { name: 'fine', stage: 'build', status: 'success' },
      { name: 'a', stage: 'build', status: 'failed' },
      { name: 'b', stage: 'build', status: 'canceled' },
      { name: 'c', status: 'skipped' },
    ]);
    const retried = await retryPipeline(app.deps, pipeline.id, { userId: someone });
    assert.equal(retried?.status, 'running');
    assert.equal(await pipelines.states(pipeline.id), 'running: fine success, c created, a pending, b pending');
    assert.equal((await pipelines.job(pipeline.id, 'fine')).id, jobs.fine!.id);
    assert.equal((await pipelines.job(pipeline.id, 'c')).user_id, someone);
    assert.equal(await retryPipeline(app.deps, 999_999, { userId: someone }), undefined);
  });
});

describe('playJob and unscheduleJob', () => {
  it('starts a manual job for who plays it, and lets what needed it wait', async () => {
    const { pipeline, jobs } = await make([
      { name: 'ask', stage: 'build', when: 'manual', allowFailure: true },
      { name: 'after', needs: ['ask'] },
    ]);
    assert.equal(await pipelines.states(pipeline.id), 'skipped: ask manual, after skipped');
    const played = await playJob(app.deps, jobs.ask!.id, { userId: someone });
    assert.deepEqual([played?.status, played?.user_id], ['pending', someone]);
    assert.equal(await pipelines.states(pipeline.id), 'pending: ask pending, after created');
    assert.equal(await playJob(app.deps, jobs.ask!.id, { userId: someone }), null);
  });

  it('does not play what starts by itself', async () => {
    const { jobs } = await make([{ name: 'a', status: 'failed' }]);
    assert.equal(await playJob(app.deps, jobs.a!.id, { userId: someone }), null);
  });

  it('takes a delayed job off the clock', async () => {
    const { pipeline, jobs } = await make([{ name: 'later', when: 'delayed', columns: { start_in: 600 } }]);
    const job = await unscheduleJob(app.deps, jobs.later!.id, { userId: someone });
    assert.deepEqual([job?.status, job?.scheduled_at], ['manual', null]);
    assert.equal(await pipelines.states(pipeline.id), 'manual: later manual');
    assert.equal(await unscheduleJob(app.deps, jobs.later!.id, { userId: someone }), null);
    assert.equal((await playJob(app.deps, jobs.later!.id, { userId: someone }))?.status, 'pending');
  });
});

describe('destroyPipeline', () => {
  it('removes a pipeline with its children and their jobs', async () => {
    const { pipeline } = await make([{ name: 'a' }]);
    const child = await make([{ name: 'x' }], { parent_id: pipeline.id });
    assert.equal(await destroyPipeline(app.deps, pipeline.id), true);
    for (const { id } of [pipeline, child.pipeline]) assert.deepEqual(await pipelines.jobs(id), []);
    assert.deepEqual(await pending(), []);
    assert.equal(await destroyPipeline(app.deps, pipeline.id), false);
  });
});
