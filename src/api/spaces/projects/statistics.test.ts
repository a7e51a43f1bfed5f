import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { someoneWaits } from '../../../../test/support/meanwhile.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { writeStatistics } from './statistics.ts';

type Json = Record<string, number>;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = new TestClock(new Date());
  app = await buildTestApp({ clock });
});
after(() => app.close());

async function statisticsOf(id: number): Promise<Json> {
  // Changes are counted together a little later.
  for (let round = 0; round < 2; round += 1) {
    await app.drain();
    clock.advance(120_000);
  }
  await app.drain();
  const { statistics } = expectStatus<{ statistics: Json }>(
    await app.get(`/projects/${id}`, { query: { statistics: true } }),
    200,
  );
  const { commit_count: _commits, storage_size, ...sizes } = statistics;
  assert.equal(
    storage_size,
    Object.values(sizes).reduce((sum, size) => sum + size, 0),
    'the whole is the sum of its parts',
  );
  return statistics;
}

test('uploads and packages count while they are there', async () => {
  const { id } = await app.make.project();
  const upload = multipart({}, { field: 'file', name: 'a.txt', bytes: Buffer.alloc(1_000) });
  const made = expectStatus<{ id: number }>(await app.post(`/projects/${id}/uploads`, upload), 201);
  const file = { body: Buffer.alloc(700), headers: { 'content-type': 'application/octet-stream' } };
  expectStatus(await app.put(`/projects/${id}/packages/generic/thing/1.0/a.bin`, file), 201);
  let counted = await statisticsOf(id);
  assert.deepEqual([counted.uploads_size, counted.packages_size], [1_000, 700]);
  expectStatus(await app.delete(`/projects/${id}/uploads/${made.id}`), 204);
  const [one] = expectStatus<{ id: number }[]>(await app.get(`/projects/${id}/packages`), 200);
  expectStatus(await app.delete(`/projects/${id}/packages/${one!.id}`), 204);
  counted = await statisticsOf(id);
  assert.deepEqual([counted.uploads_size, counted.packages_size], [0, 0]);
});

test('artifacts count from their upload until they are removed or erased', async () => {
  const project = await app.make.project();
  const [first, second] = [await holdJob(app, project, { name: 'a' }), await holdJob(app, project, { name: 'b' })];
  const bytes = Buffer.alloc(500, 'x');
  const options = { artifact_type: 'sast', artifact_format: 'raw' };
  for (const held of [first, second]) expectStatus(await uploadArtifact(app, held, bytes, options), 201);
  assert.equal((await statisticsOf(project.id)).job_artifacts_size, 1_000);
  for (const { job } of [first, second]) await finishJob(app.deps, job.id, { status: 'success' });
  expectStatus(await app.delete(`/projects/${project.id}/jobs/${first.job.id}/artifacts`), 204);
  assert.equal((await statisticsOf(project.id)).job_artifacts_size, 500);
  expectStatus(await app.post(`/projects/${project.id}/jobs/${second.job.id}/erase`), 201);
  assert.equal((await statisticsOf(project.id)).job_artifacts_size, 0);
});

test('snippets count as long as there are any', async () => {
  const { id } = await app.make.project();
  const json = { title: 'x', visibility: 'private', files: [{ file_path: 'a.txt', content: 'x'.repeat(10_000) }] };
  const made = expectStatus<{ id: number }>(await app.post(`/projects/${id}/snippets`, { json }), 201);
  const { snippets_size } = await statisticsOf(id);
  assert.ok(snippets_size! > 0);
  expectStatus(await app.delete(`/projects/${id}/snippets/${made.id}`), 204);
  assert.equal((await statisticsOf(id)).snippets_size, 0);
});

test('numbers that are written at the same time all stay', async () => {
  const { id } = await app.make.project();
  await app.drain();
  const { db } = app.deps;
  const [written, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = db.transaction().execute(async (held) => {
    await held
      .updateTable('projects')
      .set({ statistics: JSON.stringify({ wiki_size: 5 }) })
      .where('id', '=', id)
      .execute();
    written.resolve();
    await other.promise;
  });
  await written.promise;
  const second = writeStatistics(app.deps, id, { packages_size: 7 });
  await someoneWaits(app);
  other.resolve();
  await Promise.all([first, second]);
  const row = await db
    .selectFrom('projects')
    .select(['statistics', 'storage_size'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { wiki_size, packages_size, storage_size } = JSON.parse(row.statistics);
  assert.deepEqual([wiki_size, packages_size], [5, 7]);
  assert.equal(storage_size, row.storage_size);
});
