import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../test/support/app.ts';
import { Pipelines } from '../../../test/support/pipeline-states.ts';
import { type MadeJob, makePipeline } from '../../../test/support/pipelines.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { eraseJob } from '../removal/erase.ts';
import { cancelJob, cancelPipeline } from './cancel.ts';
import { finishJob } from './finish-job.ts';
import { processPipeline } from './pipeline-states.process.ts';
import { retryJob } from './pipeline-states.retry.ts';
import { startJob } from './start-job.ts';

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

const START = { runner: { id: 1 }, managerId: null, timeout: 3600, timeoutSource: 2 };
const end = (jobId: number) => finishJob(app.deps, jobId, { status: 'success' });
const make = (jobs: MadeJob[], columns = {}) => makePipeline(app, project, { jobs, columns, process: true });

describe('processPipeline', () => {
  it('lets stages begin one after the other', async () => {
    const { pipeline } = await make([
      { name: 'a', stage: 'build' },
      { name: 'b', stage: 'build' },
      { name: 'c', stage: 'test' },
      { name: 'd', stage: 'deploy', when: 'manual' },
    ]);
    assert.equal(await pipelines.states(pipeline.id), 'pending: a pending, b pending, c created, d created');
    await pipelines.run(pipeline.id, 'a');
    assert.equal(await pipelines.states(pipeline.id), 'running: a success, b pending, c created, d created');
    await pipelines.run(pipeline.id, 'b');
    await pipelines.run(pipeline.id, 'c');
    assert.equal(await pipelines.states(pipeline.id), 'manual: a success, b success, c success, d manual');
  });

  it('skips what follows a failure, but for what runs after failures or always', async () => {
    const { pipeline } = await make([
      { name: 'a', stage: 'build' },
      { name: 'b', stage: 'test' },
      { name: 'mend', stage: 'test', when: 'on_failure' },
      { name: 'clean', stage: 'last', when: 'always' },
    ]);
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    assert.equal(await pipelines.states(pipeline.id), 'running: a failed, b skipped, mend pending, clean created');
    await pipelines.run(pipeline.id, 'mend');
    await pipelines.run(pipeline.id, 'clean');
    assert.equal(await pipelines.states(pipeline.id), 'failed: a failed, b skipped, mend success, clean success');
    assert.equal((await pipelines.job(pipeline.id, 'a')).failure_reason, 'script_failure');
  });

  it('lets jobs with needs begin as soon as those are over', async () => {
    const { pipeline } = await make([
      { name: 'slow', stage: 'build' },
      { name: 'quick', stage: 'build' },
      { name: 'unit', stage: 'test', needs: ['quick'] },
      { name: 'report', stage: 'test', needs: ['unit'] },
      { name: 'lint', stage: 'test', needs: [] },
      { name: 'whole', stage: 'test' },
    ]);
    const begun = 'slow pending, quick pending, unit created, report created, lint pending, whole created';
    assert.equal(await pipelines.states(pipeline.id), `pending: ${begun}`);
    await pipelines.run(pipeline.id, 'quick');
    assert.equal((await pipelines.job(pipeline.id, 'unit')).status, 'pending');
    assert.equal((await pipelines.job(pipeline.id, 'report')).status, 'created');
    await pipelines.run(pipeline.id, 'unit', 'script_failure');
    assert.equal((await pipelines.job(pipeline.id, 'report')).status, 'skipped');
  });

  it('passes over manual jobs that are allowed to fail, and skips what needs them', async () => {
    const { pipeline } = await make([
      { name: 'ask', stage: 'build', when: 'manual', allowFailure: true },
      { name: 'next', stage: 'test' },
      { name: 'needing', stage: 'test', needs: ['ask'] },
    ]);
    assert.equal(await pipelines.states(pipeline.id), 'pending: ask manual, next pending, needing skipped');
  });

  it('keeps delayed jobs until their time', async () => {
    const { pipeline } = await make([{ name: 'later', when: 'delayed', columns: { start_in: 90 } }]);
    assert.equal(await pipelines.states(pipeline.id), 'scheduled: later scheduled');
    assert.equal((await pipelines.job(pipeline.id, 'later')).scheduled_at, '2026-06-15T12:01:30.000Z');
  });

  it('keeps the times of the pipeline and its jobs', async () => {
    const { pipeline } = await make([{ name: 'a' }, { name: 'b' }]);
    const began = clock.now().toISOString();
    clock.advance(10_000);
    const started = await pipelines.start(pipeline.id, 'a');
    assert.deepEqual([started.queued_at, started.started_at], [began, clock.now().toISOString()]);
    assert.equal((await pipelines.get(pipeline.id)).started_at, clock.now().toISOString());
    clock.advance(20_000);
    await finishJob(app.deps, started.id, { status: 'success' });
    clock.advance(60_000);
    const second = await pipelines.start(pipeline.id, 'b');
    clock.advance(5_000);
    await finishJob(app.deps, second.id, { status: 'success' });
    const over = await pipelines.get(pipeline.id);
    assert.deepEqual([over.status, over.duration, over.finished_at], ['success', 25, clock.now().toISOString()]);
  });

  it('says when the pipeline itself has changed, not when its jobs have', async () => {
    const { pipeline } = await make([{ name: 'a' }, { name: 'b' }]);
    const isNew = async () => (await pipelines.get(pipeline.id)).updated_at === clock.now().toISOString();
    const work: [string, boolean, () => Promise<unknown>][] = [
      ['the first begins', true, () => pipelines.start(pipeline.id, 'a')],
      ['the second begins', false, () => pipelines.start(pipeline.id, 'b')],
      ['the first ends', false, async () => end((await pipelines.job(pipeline.id, 'a')).id)],
      [
        'nothing happens',
        false,
        () => app.deps.db.transaction().execute((db) => processPipeline(app.deps, db, pipeline.id)),
      ],
      ['what is over is canceled', false, async () => cancelJob(app.deps, (await pipelines.job(pipeline.id, 'a')).id)],
      ['the second ends', true, async () => end((await pipelines.job(pipeline.id, 'b')).id)],
      ['a log is erased', false, async () => eraseJob(app.deps, (await pipelines.job(pipeline.id, 'a')).id)],
      [
        'one is run again',
        true,
        async () => retryJob(app.deps, (await pipelines.job(pipeline.id, 'a')).id, { userId: 1 }),
      ],
      [
        'a newer one takes its place',
        true,
        () => cancelPipeline(app.deps, pipeline.id, { autoCanceledById: pipeline.id }),
      ],
    ];
    for (const [what, changes, act] of work) {
      clock.advance(1_000);
      await act();
      assert.equal(await isNew(), changes, what);
    }
  });
});

describe('startJob and finishJob', () => {
  it('gives a job once, and takes it from those that wait', async () => {
    const { pipeline, jobs } = await make([{ name: 'a', tags: ['b', 'a'] }]);
    const pending = () =>
      app.deps.db.selectFrom('ci_pending_jobs').selectAll().where('job_id', '=', jobs.a!.id).execute();
    assert.deepEqual(
      (await pending()).map(({ tag_key }) => tag_key),
      ['a,b'],
    );
    const starts = await Promise.all(
      ['one', 'two'].map((tokenDigest) =>
        app.deps.db.transaction().execute((db) => startJob(app.deps, db, jobs.a!, { ...START, tokenDigest })),
      ),
    );
    assert.equal(starts.filter((started) => started !== null).length, 1);
    assert.deepEqual(await pending(), []);
    assert.equal(await pipelines.states(pipeline.id), 'running: a running');
  });

  it('ends the token with the job, and does not end a job twice', async () => {
    const { jobs, pipeline } = await make([{ name: 'a' }]);
    await pipelines.start(pipeline.id, 'a');
    const ends = await Promise.all(
      (['success', 'failed'] as const).map((status) => finishJob(app.deps, jobs.a!.id, { status })),
    );
    assert.equal(ends.filter((ended) => ended !== null).length, 1);
  });

  it('ends a job that is being canceled as canceled, however it went', async () => {
    for (const status of ['success', 'failed'] as const) {
      const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'a', status: 'canceling' }] });
      assert.equal((await finishJob(app.deps, jobs.a!.id, { status }))?.status, 'canceled');
    }
  });

  it('lets a job fail with a code that is allowed', async () => {
    const { pipeline } = await make([
      { name: 'a', stage: 'build', options: { allowFailureExitCodes: [42] } },
      { name: 'b' },
    ]);
    await pipelines.run(pipeline.id, 'a', 'script_failure', 42);
    const { allow_failure, exit_code } = await pipelines.job(pipeline.id, 'a');
    assert.deepEqual([allow_failure, exit_code], [1, 42]);
    assert.equal(await pipelines.states(pipeline.id), 'pending: a failed, b pending');
  });

  it('tries a job again as often as it says', async () => {
    const retry = { max: 2, when: ['script_failure'], exitCodes: null };
    const { pipeline, jobs } = await make([
      { name: 'a', stage: 'build', options: { retry }, needs: [] },
      { name: 'b', stage: 'test', needs: ['a'] },
    ]);
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    assert.equal(await pipelines.states(pipeline.id), 'pending: b created, a pending');
    assert.notEqual((await pipelines.job(pipeline.id, 'a')).id, jobs.a!.id);
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    assert.equal(await pipelines.states(pipeline.id), 'failed: b skipped, a failed');
    assert.equal((await pipelines.jobs(pipeline.id)).length, 4);
  });

  it('does not try again for another reason, and twice by itself when the scheduler failed', async () => {
    const retry = { max: 1, when: ['runner_system_failure'], exitCodes: [3] };
    const { pipeline } = await make([{ name: 'a', options: { retry } }]);
    await pipelines.run(pipeline.id, 'a', 'script_failure', 3);
    assert.equal(await pipelines.states(pipeline.id), 'pending: a pending');
    await pipelines.run(pipeline.id, 'a', 'runner_system_failure');
    assert.equal(await pipelines.states(pipeline.id), 'failed: a failed');
    const other = await make([{ name: 'a' }]);
    for (const state of ['pending', 'pending', 'failed']) {
      await pipelines.run(other.pipeline.id, 'a', 'scheduler_failure');
      assert.equal((await pipelines.job(other.pipeline.id, 'a')).status, state);
    }
  });

  it('cancels the rest when the pipeline says so', async () => {
    const jobs = [{ name: 'a' }, { name: 'b' }, { name: 'c', stage: 'next' }];
    const { pipeline } = await make(jobs, { on_job_failure: 'all' });
    await pipelines.run(pipeline.id, 'a', 'script_failure');
    assert.equal(await pipelines.states(pipeline.id), 'failed: a failed, b canceled, c canceled');
  });

  it('records what happened', async () => {
    const { pipeline, jobs } = await make([{ name: 'a' }]);
    await pipelines.run(pipeline.id, 'a');
    const rows = await app.deps.db
      .selectFrom('domain_events')
      .select(['type', 'payload'])
      .where('project_id', '=', project.id)
      .where('type', 'in', ['job.updated', 'pipeline.updated'])
      .orderBy('id')
      .execute();
    const transitions = rows.map(
      ({ type, payload }) => `${type} ${JSON.parse(payload).old_status} ${JSON.parse(payload).status}`,
    );
    assert.deepEqual(transitions, [
      'job.updated created pending',
      'pipeline.updated created pending',
      'job.updated pending running',
      'pipeline.updated pending running',
      'job.updated running success',
      'pipeline.updated running success',
    ]);
    assert.equal(JSON.parse(rows[0]!.payload).job_id, jobs.a!.id);
  });
});
