import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { endJob, type HeldJob, holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { beforeTransaction, someoneWaits } from '../../../../test/support/meanwhile.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { retainArtifactsOf } from '../../../pipelines/artifacts/retain.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { usedBlobs } from '../../../storage/unused-blobs.ts';

type Row = Record<string, unknown>;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The current time, since files on disk have real modification times. */
const clock = new TestClock(new Date());
let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

let count = 0;
/** A running job with an archive and a report. */
async function running(options: Parameters<typeof holdJob>[2] = {}, expire_in = '1 day'): Promise<HeldJob> {
  const held = await holdJob(app, project, options);
  count += 1;
  expectStatus(await uploadArtifact(app, held, await zipOf({ n: String(count) }), { expire_in }), 201);
  const report = { artifact_type: 'junit', artifact_format: 'gzip', expire_in };
  expectStatus(await uploadArtifact(app, held, gzipSync(`<testsuites n="${count}"/>`), report), 201);
  return held;
}
async function finished(options: Parameters<typeof holdJob>[2] = {}, expire_in = '1 day'): Promise<HeldJob> {
  const held = await running(options, expire_in);
  await endJob(app, held);
  return held;
}
const rows = ({ job }: HeldJob) =>
  app.deps.db.selectFrom('ci_job_artifacts').selectAll().where('job_id', '=', job.id).orderBy('id').execute();
const types = async (held: HeldJob) => (await rows(held)).map(({ file_type }) => file_type);
const blobsOf = async (held: HeldJob) => (await rows(held)).map(({ sha256 }) => sha256);
const are = (sha256s: string[]) =>
  Promise.all(sha256s.map(async (sha256) => (await app.deps.blobs.stat(sha256)) !== null));
const addLog = ({ job }: HeldJob) =>
  app.deps.db
    .insertInto('ci_job_artifacts')
    .values({
      ...{ job_id: job.id, project_id: project.id, file_type: 'trace', file_format: 'raw', filename: 'job.log' },
      ...{ size: 1, sha256: 'ab', accessibility: 'all', expire_at: null, created_at: clock.now().toISOString() },
    })
    .execute();
/** Advances the clock and runs all background work. */
async function pass(ms: number): Promise<void> {
  await app.deps.jobs.maintain();
  clock.advance(ms);
  await app.deps.jobs.maintain();
  await app.drain();
}

describe('POST /projects/:id/jobs/:job_id/artifacts/keep', () => {
  const keep = ({ job }: HeldJob, token?: string | null) =>
    app.post(`/projects/${project.id}/jobs/${job.id}/artifacts/keep`, token === undefined ? {} : { token });

  test('keeps them for ever, and shows the job', async () => {
    const held = await finished();
    const body = expectStatus<Row>(await keep(held), 200);
    assert.equal(body.id, held.job.id);
    assert.equal(body.artifacts_expire_at, null);
    assert.deepEqual(
      (await rows(held)).map(({ expire_at }) => expire_at),
      [null, null],
    );
    await pass(100 * DAY);
    assert.deepEqual(await types(held), ['archive', 'junit']);
  });

  test('what is kept while it is about to be removed stays', async () => {
    const held = await finished();
    const retained = Promise.withResolvers<void>();
    const removal = Promise.withResolvers<void>();
    const keeping = app.deps.db.transaction().execute(async (db) => {
      assert.deepEqual(await retainArtifactsOf(db, [held.job.id]), [held.job.id]);
      retained.resolve();
      await removal.promise;
    });
    await retained.promise;
    const passing = pass(2 * DAY);
    await someoneWaits(app);
    removal.resolve();
    await Promise.all([keeping, passing]);
    assert.deepEqual(await types(held), ['archive', 'junit']);
  });

  test('what is removed before it is kept is not found', async () => {
    const held = await finished();
    beforeTransaction(app, () =>
      app.deps.db.deleteFrom('ci_job_artifacts').where('job_id', '=', held.job.id).execute(),
    );
    expectStatus(await keep(held), 404);
  });

  test('needs artifacts that are there', async () => {
    const none = await holdJob(app, project);
    assert.equal(expectStatus<Row>(await keep(none), 404).message, '404 Not Found');
    const held = await finished();
    clock.advance(2 * DAY);
    assert.equal((await keep(held)).statusCode, 404);
  });

  test('is for developers, where the ref lets them', async () => {
    const held = await finished();
    const members = await app.make.members(project);
    const statuses: Record<string, number> = {};
    for (const [name, { token }] of Object.entries(members)) statuses[name] = (await keep(held, token)).statusCode;
    const refused = { guest: 403, planner: 403, reporter: 403 };
    assert.deepEqual(statuses, { ...refused, developer: 200, maintainer: 200, owner: 200, stranger: 404 });
    assert.equal((await keep(held, null)).statusCode, 401);
    await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'main' } });
    assert.equal((await keep(held, members.developer.token)).statusCode, 403);
    assert.equal((await keep(held, members.maintainer.token)).statusCode, 200);
  });
});

describe('DELETE /projects/:id/jobs/:job_id/artifacts', () => {
  const remove = ({ job }: HeldJob, token?: string | null) =>
    app.delete(`/projects/${project.id}/jobs/${job.id}/artifacts`, token === undefined ? {} : { token });

  test('removes all but the log; the bytes go, too', async () => {
    const held = await finished();
    await addLog(held);
    const blobs = (await blobsOf(held)).slice(0, 2);
    assert.equal((await remove(held)).statusCode, 204);
    assert.deepEqual(await types(held), ['trace']);
    assert.equal((await app.get(`/projects/${project.id}/jobs/${held.job.id}/artifacts`)).statusCode, 404);
    assert.equal((await remove(held)).statusCode, 204);
    await pass(2 * HOUR);
    assert.deepEqual(await are(blobs), [false, false]);
  });

  test('leaves bytes that another job has, too', async () => {
    const [one, other] = [await holdJob(app, project), await holdJob(app, project)];
    const zip = await zipOf({ same: `${Math.random()}` });
    for (const held of [one, other]) expectStatus(await uploadArtifact(app, held, zip), 201);
    const blobs = await blobsOf(one);
    assert.equal((await remove(one)).statusCode, 204);
    await pass(2 * HOUR);
    assert.deepEqual(await are(blobs), [true]);
  });

  test('is for maintainers', async () => {
    const held = await finished();
    const members = await app.make.members(project);
    const statuses: Record<string, number> = {};
    for (const [name, { token }] of Object.entries(members)) statuses[name] = (await remove(held, token)).statusCode;
    const refused = { guest: 403, planner: 403, reporter: 403, developer: 403, stranger: 404 };
    assert.deepEqual(statuses, { ...refused, maintainer: 204, owner: 204 });
    assert.equal((await remove(held, null)).statusCode, 401);
    const other = await app.make.project();
    const path = `/projects/${other.id}/jobs/${held.job.id}/artifacts`;
    assert.equal((await app.delete(path)).statusCode, 404);
  });
});

describe('DELETE /projects/:id/artifacts', () => {
  const remove = (token?: string | null) =>
    app.delete(`/projects/${project.id}/artifacts`, token === undefined ? {} : { token });

  test('removes all soon after, but logs and what is kept or not over', async () => {
    const [old, lockedJob, atWork] = [await finished({}, 'never'), await finished(), await running()];
    await addLog(old);
    await app.deps.db.updateTable('pipelines').set({ locked: 1 }).where('id', '=', lockedJob.pipeline.id).execute();
    const other = project;
    project = await app.make.project();
    const elsewhere = await finished();
    project = other;
    const blobs = (await blobsOf(old)).slice(0, 2);
    const response = await remove();
    assert.deepEqual(expectStatus(response, 202), { message: '202 Accepted' });
    assert.deepEqual(await types(old), ['archive', 'junit', 'trace']);
    await pass(1_000);
    assert.deepEqual(await types(old), ['trace']);
    for (const held of [lockedJob, atWork, elsewhere]) assert.deepEqual(await types(held), ['archive', 'junit']);
    await pass(2 * HOUR);
    assert.deepEqual(await are(blobs), [false, false]);
    project = await app.make.project();
    assert.equal((await remove()).statusCode, 202);
  });

  test('is for maintainers', async () => {
    const members = await app.make.members(project);
    const statuses: Record<string, number> = {};
    for (const [name, { token }] of Object.entries(members)) statuses[name] = (await remove(token)).statusCode;
    const refused = { guest: 403, planner: 403, reporter: 403, developer: 403, stranger: 404 };
    assert.deepEqual(statuses, { ...refused, maintainer: 202, owner: 202 });
    assert.equal((await remove(null)).statusCode, 401);
  });
});

describe('artifacts end', () => {
  test('when their time is over, within the hour, with their bytes', async () => {
    const [short, long, log] = [await finished(), await finished({}, '3 days'), await finished()];
    await addLog(log);
    const blobs = await blobsOf(short);
    await pass(23 * HOUR);
    assert.deepEqual(await types(short), ['archive', 'junit']);
    await pass(2 * HOUR);
    assert.deepEqual(await types(short), []);
    assert.deepEqual(await types(log), ['trace']);
    assert.deepEqual(await types(long), ['archive', 'junit']);
    await pass(2 * HOUR);
    assert.deepEqual(await are(blobs), [false, false]);
    await pass(3 * DAY);
    assert.deepEqual(await types(long), []);
  });

  /** A pipeline of a ref whose job succeeds, as reported by a runner. */
  async function succeed(pipeline: Partial<Pipeline> = {}): Promise<HeldJob> {
    const held = await running({ pipeline });
    await finishJob(app.deps, held.job.id, { status: 'success' });
    await app.drain();
    return held;
  }
  const locked = async (...made: HeldJob[]) => {
    const ids = made.map(({ pipeline }) => pipeline.id);
    const pipelines = await app.deps.db
      .selectFrom('pipelines')
      .select(['id', 'locked'])
      .where('id', 'in', ids)
      .execute();
    return ids.map((id) => pipelines.find((row) => row.id === id)!.locked === 1);
  };

  test('not while they are those of the last successful pipeline of their ref', async () => {
    const first = await succeed();
    const [branch, tag] = [await succeed({ ref: 'other' }), await succeed({ ref: 'v1', tag: 1 })];
    assert.deepEqual(await locked(first, branch, tag), [true, true, true]);
    await pass(2 * DAY);
    assert.deepEqual(await types(first), ['archive', 'junit']);
    const bad = await running();
    await finishJob(app.deps, bad.job.id, { status: 'failed' });
    await app.drain();
    assert.deepEqual(await locked(first, bad), [true, false]);
    const second = await succeed();
    assert.deepEqual(await locked(first, second, branch, tag), [false, true, true, true]);
    await pass(HOUR);
    assert.deepEqual(await types(first), []);
    assert.deepEqual(await types(second), ['archive', 'junit']);
  });

  test('an older pipeline that succeeds late does not take the place of a newer one', async () => {
    const older = await running();
    const newer = await succeed();
    await finishJob(app.deps, older.job.id, { status: 'success' });
    await app.drain();
    assert.deepEqual(await locked(older, newer), [false, true]);
  });

  test('pipelines that a kept one started are kept with it', async () => {
    const parent = await running();
    const child = await succeed({ parent_id: parent.pipeline.id, source: 'parent_pipeline' });
    assert.deepEqual(await locked(child), [false]);
    await finishJob(app.deps, parent.job.id, { status: 'success' });
    await app.drain();
    const late = await succeed({ parent_id: child.pipeline.id, source: 'parent_pipeline' });
    assert.deepEqual(await locked(parent, child, late), [true, true, true]);
    const next = await succeed();
    assert.deepEqual(await locked(parent, child, late, next), [false, false, false, true]);
  });

  test('where a project does not keep the last ones, from its next pipeline on', async () => {
    const first = await succeed();
    expectStatus(await app.put(`/projects/${project.id}`, { json: { keep_latest_artifact: false } }), 200);
    assert.deepEqual(await locked(first), [true]);
    const second = await succeed();
    assert.deepEqual(await locked(first, second), [false, false]);
    await pass(2 * DAY);
    assert.deepEqual([await types(first), await types(second)], [[], []]);
  });

  test('with their branch', async () => {
    await app.post(`/projects/${project.id}/repository/files/a`, {
      json: { branch: 'main', content: 'a', commit_message: 'a' },
    });
    await app.post(`/projects/${project.id}/repository/branches`, { json: { branch: 'topic', ref: 'main' } });
    const held = await succeed({ ref: 'topic' });
    assert.deepEqual(await locked(held), [true]);
    assert.equal((await app.delete(`/projects/${project.id}/repository/branches/topic`)).statusCode, 204);
    await app.drain();
    assert.deepEqual(await locked(held), [false]);
  });

  test('with their project', async () => {
    const held = await finished();
    const blobs = await blobsOf(held);
    const used: string[] = [];
    for await (const { sha256 } of usedBlobs(app.deps.db)) used.push(sha256);
    assert.ok(blobs.every((sha256) => used.includes(sha256)));
    const path = `/projects/${project.id}`;
    assert.equal((await app.delete(path)).statusCode, 202);
    await app.drain();
    await pass(2 * HOUR);
    assert.deepEqual(await rows(held), []);
    assert.deepEqual(await are(blobs), [false, false]);
  });
});
