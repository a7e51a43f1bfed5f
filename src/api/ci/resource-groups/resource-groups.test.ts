import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';

interface Group {
  key: string;
  process_mode: string;
  message?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const AT = { created_at: '2026-06-15T12:00:00.000Z', updated_at: '2026-06-15T12:00:00.000Z' };

async function group(key: string) {
  const project = await app.make.project();
  const { id } = await app.deps.db
    .insertInto('resource_groups')
    .values({ project_id: project.id, key, process_mode: 'unordered', ...AT })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { project, id, path: `/projects/${project.id}/resource_groups` };
}

test('resource groups are listed and read by their key', async () => {
  const { path, id } = await group('deploy/production');
  const shown = { id, key: 'deploy/production', process_mode: 'unordered', ...AT };
  assert.deepEqual(expectStatus(await app.get(path), 200), [shown]);
  assert.deepEqual(expectStatus(await app.get(`${path}/deploy%2Fproduction`), 200), shown);
  expectStatus(await app.get(`${path}/other`), 404);
});

test('the job that has a group, and those that wait for it in its order', async () => {
  const { project, path, id } = await group('one');
  assert.equal((await app.get(`${path}/one/current_job`)).body, 'null');
  const columns = { resource_group_id: id };
  const made = async (status: 'running' | 'waiting_for_resource' | 'created') =>
    (await makePipeline(app, project, { jobs: [{ name: 'deploy', status, columns }] })).jobs.deploy!;
  const running = await made('running');
  const created = await made('created');
  const [first, second] = [await made('waiting_for_resource'), await made('waiting_for_resource')];
  await app.deps.db.updateTable('resource_groups').set({ job_id: running.id }).where('id', '=', id).execute();
  assert.equal(expectStatus<{ id: number }>(await app.get(`${path}/one/current_job`), 200).id, running.id);
  const upcoming = async (process_mode: string) => {
    const changed = expectStatus<Group>(await app.put(`${path}/one`, { json: { process_mode } }), 200);
    assert.equal(changed.process_mode, process_mode);
    return expectStatus<{ id: number }[]>(await app.get(`${path}/one/upcoming_jobs`), 200).map((job) => job.id);
  };
  assert.deepEqual(await upcoming('newest_ready_first'), [second.id, first.id]);
  assert.deepEqual(await upcoming('oldest_first'), [created.id, first.id, second.id]);
  assert.deepEqual(await upcoming('newest_first'), [second.id, first.id, created.id]);
  assert.deepEqual(await upcoming('unordered'), [first.id, second.id]);
  const wrong = expectStatus<Group>(await app.put(`${path}/one`, { json: { process_mode: 'random' } }), 400);
  assert.equal(wrong.message, 'process_mode does not have a valid value');
});

test('Reporters see resource groups, Developers change them', async () => {
  const { project, path } = await group('r');
  const people = await app.make.members(project);
  const reads: number[] = [];
  const writes: number[] = [];
  for (const { token } of Object.values(people)) {
    reads.push((await app.get(path, { token })).statusCode);
    writes.push((await app.put(`${path}/r`, { token, json: { process_mode: 'oldest_first' } })).statusCode);
  }
  assert.deepEqual(reads, [403, 403, 200, 200, 200, 200, 404]);
  assert.deepEqual(writes, [403, 403, 403, 200, 200, 200, 404]);
  expectStatus(await app.get(path, { token: null }), 401);
});
