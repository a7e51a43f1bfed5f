import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { FakeRunner, type RunningJob } from '../../../../test/support/fake-runner.ts';
import { type MadeJob, makePipeline } from '../../../../test/support/pipelines.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { cancelJob } from '../../../pipelines/states/cancel.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

async function start(more: Partial<MadeJob> = {}, features?: Record<string, boolean>): Promise<RunningJob> {
  await makePipeline(app, project, { jobs: [{ name: 'test', status: 'pending', ...more }] });
  const json = { runner_type: 'project_type', project_id: project.id };
  return (await FakeRunner.make(app, json, features === undefined ? {} : { features })).take();
}
const rowOf = ({ id }: { id: number }) =>
  app.deps.db.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const log = async ({ id }: { id: number }) => (await app.get(`/projects/${project.id}/jobs/${id}/trace`)).body;
const files = ({ id }: { id: number }) =>
  app.deps.db.selectFrom('ci_job_artifacts').selectAll().where('job_id', '=', id).execute();

describe('PUT /jobs/:job_id', () => {
  test('ends a job as its runner says, and lets its pipeline go on', async () => {
    const { pipeline, jobs } = await makePipeline(app, project, {
      jobs: [
        { name: 'one', stage: 'a' },
        { name: 'two', stage: 'b' },
      ],
      process: true,
    });
    const runner = await FakeRunner.make(app, { runner_type: 'project_type', project_id: project.id });
    const one = await runner.take();
    assert.equal(await runner.request(), undefined);
    const response = await one.update('success', { exit_code: 0 });
    assert.equal(response.statusCode, 200);
    assert.equal(response.json(), '200');
    assert.deepEqual(
      [response.headers['job-status'], response.headers['x-gitlab-trace-update-interval']],
      ['success', '60'],
    );
    assert.equal((await rowOf(one)).status, 'success');
    const two = await runner.take();
    assert.equal(two.id, jobs.two!.id);
    await two.finish('failed', { failure_reason: 'script_failure', exit_code: 3 });
    const row = await rowOf(two);
    assert.deepEqual([row.status, row.failure_reason, row.exit_code], ['failed', 'script_failure', 3]);
    const ended = await app.deps.db
      .selectFrom('pipelines')
      .selectAll()
      .where('id', '=', pipeline.id)
      .executeTakeFirst();
    assert.equal(ended?.status, 'failed');
  });

  test('keeps reasons that it knows, and exit codes in their bounds', async () => {
    for (const [sentReason, storedReason, code, exit] of [
      ['image_pull_failure', 'image_pull_failure', -1, 0],
      ['nonsense', 'unknown_failure', 99_999, 32_767],
      [undefined, 'unknown_failure', undefined, null],
    ] as const) {
      const job = await start();
      await job.finish('failed', { failure_reason: sentReason, exit_code: code });
      const row = await rowOf(job);
      assert.deepEqual([row.failure_reason, row.exit_code], [storedReason, exit]);
    }
  });

  test('lets a job fail where its exit code is allowed', async () => {
    const job = await start({ options: { allowFailureExitCodes: [42] } });
    await job.finish('failed', { failure_reason: 'script_failure', exit_code: 42 });
    assert.equal((await rowOf(job)).allow_failure, 1);
  });

  test('is a sign of life', async () => {
    const job = await start();
    const before = (await rowOf(job)).updated_at;
    clock.advance(10 * 60_000);
    expectStatus(await job.update('running'), 200);
    assert.equal((await rowOf(job)).updated_at, before);
    clock.advance(6 * 60_000);
    expectStatus(await job.update('running'), 200);
    assert.notEqual((await rowOf(job)).updated_at, before);
    const { runner_id } = await rowOf(job);
    clock.advance(41 * 60_000);
    expectStatus(await job.update('running'), 200);
    const runner = await app.deps.db
      .selectFrom('ci_runners')
      .selectAll()
      .where('id', '=', runner_id!)
      .executeTakeFirst();
    assert.equal(runner?.contacted_at, clock.now().toISOString());
  });

  test('refuses what is no state, and whoever does not show the token of the job', async () => {
    const [job, other] = [await start(), await start()];
    assert.equal(expectStatus(await job.update('pending'), 400).message, '400 Bad request - Unknown job state');
    const put = (id: number | string, headers: Record<string, string>, json: object = { state: 'success' }) =>
      app.put(`/jobs/${id}`, { token: null, headers, json });
    for (const headers of [{}, { 'job-token': 'guess' }, other.headers]) {
      assert.equal(expectStatus(await put(job.id, headers as Record<string, string>), 403).message, '403 Forbidden');
    }
    expectStatus(await put(9_007_199_254_740_991, job.headers), 403);
    expectStatus(await put('x', job.headers), 403);
    expectStatus(await put(job.id, {}, { token: job.response.token, state: 'running' }), 200);
    assert.equal((await rowOf(job)).status, 'running');
    const missing = await put(job.id, job.headers, {});
    assert.equal(expectStatus(missing, 400).message, 'state is missing');
  });

  test('is refused for a job that is over, with its state', async () => {
    const job = await start();
    await job.finish();
    const again = await job.update('success');
    assert.equal(expectStatus(again, 403).message, '403 Forbidden - Job is not processing on runner');
    const canceled = await start({}, {});
    await cancelJob(app.deps, canceled.id);
    const response = await canceled.update('running');
    expectStatus(response, 403);
    assert.equal(response.headers['job-status'], 'canceled');
  });

  test('tells a runner that can bring jobs to an end itself that its job is being canceled', async () => {
    const job = await start();
    await cancelJob(app.deps, job.id);
    const response = await job.update('running');
    assert.equal(response.headers['job-status'], 'canceling');
    assert.equal((await job.patchTrace('more')).headers['job-status'], 'canceling');
    await job.finish('failed', { failure_reason: 'script_failure' });
    assert.equal((await rowOf(job)).status, 'canceled');
  });

  test('fails a job that is long past its time', async () => {
    const job = await start({ options: { timeout: 600 } });
    clock.advance((600 + 300) * 1_000);
    const refused = await job.update('running');
    assert.equal(expectStatus(refused, 403).message, '403 Forbidden - Job token has expired');
    assert.equal((await rowOf(job)).failure_reason, 'job_token_expired');
  });

  test('is limited for each job', async () => {
    const job = await start();
    for (let count = 0; count < 200; count += 1) expectStatus(await job.update('running'), 200);
    assert.equal((await job.update('running')).statusCode, 429);
    assert.equal((await job.patchTrace('x')).statusCode, 202);
  });
});

describe('PATCH /jobs/:job_id/trace', () => {
  test('keeps the pieces of a log, each durable when it is answered', async () => {
    const job = await start();
    const first = await job.patchTrace('first line\n');
    assert.equal(first.statusCode, 202);
    assert.deepEqual(
      [first.headers.range, first.headers['job-status'], first.headers['x-gitlab-trace-update-interval']],
      ['0-11', 'running', '60'],
    );
    assert.equal(await log(job), 'first line\n');
    const second = await job.patchTrace('zweite Zeile \u{1F600}\n');
    assert.equal(second.headers.range, '0-29');
    assert.equal(second.headers['x-gitlab-trace-update-interval'], '3');
    clock.advance(10_000);
    assert.equal((await job.patchTrace('.')).headers['x-gitlab-trace-update-interval'], '60');
    assert.equal(await log(job), 'first line\nzweite Zeile \u{1F600}\n.');
    assert.equal((await rowOf(job)).trace_size, 30);
  });

  test('says where a log ends when a piece does not begin there', async () => {
    const job = await start();
    await job.patchTrace('0123456789');
    for (const from of [0, 9, 11, 500]) {
      const refused = await job.patchTrace('x', from);
      assert.equal(expectStatus(refused, 416).message, '416 Range Not Satisfiable');
      assert.equal(refused.headers.range, '0-10');
    }
    assert.equal(await log(job), '0123456789');
    expectStatus(await job.patchTrace('x', 10), 202);
  });

  test('takes one of several pieces that begin in the same place', async () => {
    const job = await start();
    const answers = await Promise.all(['a', 'b', 'c'].map((letter) => job.patchTrace(letter.repeat(4), 0)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [202, 416, 416]);
    assert.match(await log(job), /^(aaaa|bbbb|cccc)$/);
  });

  test('asks for a range that can be read', async () => {
    const job = await start();
    const patch = (headers: Record<string, string>) =>
      app.patch(`/jobs/${job.id}/trace`, {
        token: null,
        body: 'x',
        headers: { ...job.headers, 'content-type': 'text/plain', ...headers },
      });
    assert.equal(expectStatus(await patch({}), 400).message, '400 Missing header Content-Range');
    assert.equal(
      expectStatus(await patch({ 'content-range': 'all' }), 400).message,
      '400 Bad request - Content-Range is invalid',
    );
    expectStatus(await patch({ 'content-range': '0-0/*' }), 202);
  });

  test('hides the token of the job, that of registration and masked variables, however they are cut', async () => {
    const { runners_token } = expectStatus<{ runners_token: string }>(await app.get(`/projects/${project.id}`), 200);
    const variable = { key: 'SECRET', value: 'hunter22secret', masked: true };
    expectStatus(await app.post(`/projects/${project.id}/variables`, { json: variable }), 201);
    expectStatus(
      await app.post(`/projects/${project.id}/variables`, { json: { key: 'OPEN', value: 'nothing-hidden' } }),
      201,
    );
    const job = await start();
    const { token } = job.response;
    const text = `${token} hunter22secret ${runners_token} nothing-hidden ${token}`;
    for (let at = 0; at < text.length; at += 7) {
      assert.equal((await job.patchTrace(text.slice(at, at + 7))).statusCode, 202);
      for (const secret of [token, variable.value, runners_token])
        assert.ok(!(await log(job)).includes(secret.slice(0, 8)));
    }
    const masked = (secret: string) => `[MASKED]${'x'.repeat(secret.length - 8)}`;
    const expected = `${masked(token)} ${masked(variable.value)} ${masked(runners_token)} nothing-hidden ${masked(token)}`;
    assert.equal(await log(job), expected);
    await job.finish();
    await app.drain();
    assert.equal(await log(job), expected);
  });

  test('holds back what may begin a secret until more is known, and loses nothing of it', async () => {
    const job = await start();
    await job.patchTrace('text glcbt-');
    assert.equal(await log(job), 'text ');
    assert.equal((await rowOf(job)).trace_size, 11);
    await job.patchTrace('other');
    assert.equal(await log(job), 'text glcbt-other');
    await job.patchTrace(' gl');
    assert.equal(await log(job), 'text glcbt-other ');
    await job.finish();
    await app.drain();
    assert.equal(await log(job), 'text glcbt-other gl');
  });

  test('marks logs that tell everything', async () => {
    const job = await start();
    const headers = { ...job.headers, 'content-type': 'text/plain', 'content-range': '0-0' };
    const query = { debug_trace: true };
    expectStatus(await app.patch(`/jobs/${job.id}/trace`, { token: null, body: 'x', headers, query }), 202);
    assert.equal((await rowOf(job)).debug_trace, 1);
    const people = await app.make.members(project);
    const path = `/projects/${project.id}/jobs/${job.id}/trace`;
    expectStatus(await app.get(path, { token: people.reporter.token }), 403);
    assert.equal((await app.get(path, { token: people.developer.token })).statusCode, 200);
  });

  test('ends a job whose log is too long', async () => {
    const job = await start();
    await app.deps.db
      .updateTable('ci_jobs')
      .set({ trace_size: 100 * 1024 * 1024 })
      .where('id', '=', job.id)
      .execute();
    const refused = await job.patchTrace('x', 100 * 1024 * 1024);
    assert.equal(expectStatus(refused, 403).message, '403 Forbidden - Job log is too large');
    assert.equal((await rowOf(job)).failure_reason, 'trace_size_exceeded');
  });

  test('is refused for a job that is over, and without its token before a byte is read', async () => {
    const job = await start();
    const { port } = new URL(await app.listen());
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `PATCH /api/v4/jobs/${job.id}/trace HTTP/1.1\r\nHost: x\r\nJOB-TOKEN: guess\r\nContent-Range: 0-9\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n`,
    );
    assert.match(await text(socket), /^HTTP\/1\.1 403 /);
    await job.finish();
    expectStatus(await job.patchTrace('late'), 403);
  });

  test('is limited for each job', async () => {
    const job = await start();
    for (let count = 0; count < 200; count += 1) expectStatus(await job.patchTrace('x'), 202);
    assert.equal((await job.patchTrace('x')).statusCode, 429);
  });
});

describe('the log of a job that is over', () => {
  test('becomes a file of the job, however it ended', async () => {
    for (const end of [
      (job: RunningJob) => job.finish(),
      (job: RunningJob) => job.finish('failed', { failure_reason: 'script_failure' }),
      (job: RunningJob) => cancelJob(app.deps, job.id, { force: true }),
    ]) {
      const job = await start({}, { refspecs: true });
      await job.patchTrace('line one\n');
      await job.patchTrace('line two\n');
      await end(job);
      await app.drain();
      const [file, ...others] = await files(job);
      assert.deepEqual(others, []);
      assert.deepEqual(
        [file?.file_type, file?.file_format, file?.filename, file?.size],
        ['trace', 'raw', 'job.log', 18],
      );
      const left = await app.deps.db.selectFrom('ci_job_traces').selectAll().where('job_id', '=', job.id).execute();
      assert.deepEqual(left, []);
      assert.equal(await log(job), 'line one\nline two\n');
    }
  });

  test('is none where nothing was sent', async () => {
    const job = await start();
    await job.finish();
    await app.drain();
    assert.deepEqual(await files(job), []);
    assert.equal(await log(job), '');
  });

  test('tells the coverage, of several lines the last', async () => {
    const job = await start({ columns: { coverage_regex: 'Total: \\d+\\.\\d+%' } });
    await job.patchTrace(`Total: 11.1%\n${'noise and more noise\n'.repeat(20_000)}`);
    await job.patchTrace('Total: 87.5% of lines\nthe end\n');
    await job.finish();
    await app.drain();
    assert.equal((await rowOf(job)).coverage, 87.5);
    const early = await start({ columns: { coverage_regex: 'Total: (\\d+)' } });
    await early.patchTrace(`Total: 42\n${'noise and more noise\n'.repeat(20_000)}`);
    await early.finish();
    await app.drain();
    assert.equal((await rowOf(early)).coverage, 42);
  });

  test('tells the coverage by the pattern of the project where the job has none', async () => {
    const coverageWith = async (own: string | null) => {
      const job = await start({ columns: { coverage_regex: own } });
      const { project_id } = await rowOf(job);
      const json = { build_coverage_regex: '\\d+% covered' };
      assert.equal((await app.put(`/projects/${project_id}`, { json })).statusCode, 200);
      await job.patchTrace('31% covered\nTotal: 42\n');
      await job.finish();
      await app.drain();
      return (await rowOf(job)).coverage;
    };
    assert.deepEqual([await coverageWith(null), await coverageWith('Total: (\\d+)')], [31, 42]);
  });
});
