import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Insertable } from 'kysely';
import { buildTestApp, type TestApp, TestClock } from '../../../test/support/app.ts';
import { timestamp } from '../../core/clock.ts';
import { ApiError } from '../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../core/core.secrets.ts';
import type { CiJobsTable } from '../../db/tables/ci-jobs.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { JobTokenExpired, runningJob } from './running-job.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
let token: string;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  token = `glcbt-${randomText(20)}`;
});

let iid = 0;
async function makeJob(columns: Partial<Insertable<CiJobsTable>> = {}): Promise<number> {
  iid += 1;
  const dated = { created_at: timestamp(clock), updated_at: timestamp(clock) };
  const shared = { ...dated, project_id: project.id, sha: 'a'.repeat(40), ref: 'main' };
  const pipeline = await app.deps.db
    .insertInto('pipelines')
    .values({ ...shared, iid, source: 'push', status: 'running', user_id: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const job = await app.deps.db
    .insertInto('ci_jobs')
    .values({
      ...shared,
      kind: 'build',
      pipeline_id: pipeline.id,
      name: 'test',
      status: 'running',
      user_id: 1,
      started_at: timestamp(clock),
      timeout: 3600,
      token_digest: tokenDigest(token),
      ...columns,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return job.id;
}

async function refusal(id: number, input: string | undefined): Promise<{ message: string; job?: string | undefined }> {
  const error = await runningJob(app.deps, id, input).then(
    () => assert.fail('let in'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 403);
  return { message: error.message, job: error.headers['Job-Status'] };
}

test('a job that is running or canceling is found by its token', async () => {
  for (const status of ['running', 'canceling'] as const) {
    const id = await makeJob({ status });
    const job = await runningJob(app.deps, id, token);
    assert.equal(job.id, id);
    assert.equal(job.status, status);
    assert.equal('pending_delete' in job, false);
    token = `glcbt-${randomText(20)}`;
  }
});

test('no token, another token and another job are refused alike, and tell nothing of the job', async () => {
  const id = await makeJob();
  const other = await makeJob({ token_digest: tokenDigest('glcbt-other') });
  const waiting = await makeJob({ status: 'pending', token_digest: null });
  const plain = { message: '403 Forbidden', job: undefined };
  assert.deepEqual(await refusal(id, undefined), plain);
  assert.deepEqual(await refusal(id, ''), plain);
  assert.deepEqual(await refusal(id, `${token}x`), plain);
  assert.deepEqual(await refusal(other, token), plain);
  assert.deepEqual(await refusal(waiting, token), plain);
  assert.deepEqual(await refusal(waiting, ''), plain);
  assert.deepEqual(await refusal(9_007_199_254_740_991, token), plain);
});

test('a job that is over says so, and how', async () => {
  for (const status of ['success', 'failed', 'canceled', 'pending'] as const) {
    const id = await makeJob({ status });
    assert.deepEqual(await refusal(id, token), {
      message: '403 Forbidden - Job is not processing on runner',
      job: status,
    });
    token = `glcbt-${randomText(20)}`;
  }
});

test('erased jobs and jobs of projects that are going away are refused', async () => {
  const id = await makeJob({ erased_at: timestamp(clock) });
  assert.deepEqual(await refusal(id, token), { message: '403 Forbidden - Job has been erased!', job: undefined });
  await app.deps.db.updateTable('projects').set({ pending_delete: 1 }).where('id', '=', project.id).execute();
  assert.deepEqual(await refusal(id, token), { message: '403 Forbidden - Project has been deleted!', job: undefined });
});

test('a token ends five minutes after the time of its job', async () => {
  const id = await makeJob({ timeout: 600 });
  clock.advance((600 + 300) * 1_000 - 1);
  assert.equal((await runningJob(app.deps, id, token)).id, id);
  clock.advance(1);
  assert.deepEqual(await refusal(id, token), { message: '403 Forbidden - Job token has expired', job: 'running' });
  await assert.rejects(
    runningJob(app.deps, id, token),
    (error) => error instanceof JobTokenExpired && error.job.id === id,
  );
});
