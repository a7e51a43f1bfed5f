import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { ReleaseJson } from './releases.responses.ts';

const HOUR_MS = 3_600_000;
let app: TestApp;
let clock: TestClock;
let url: string;
before(async () => {
  clock = new TestClock();
  app = await buildTestApp({ clock });
  url = await app.listen();
  await app.deps.jobs.maintain();
});
after(() => app.close());

async function makeRelease(t: TestContext, json: object = {}) {
  const made = await seededProject(app, t);
  const path = `/projects/${made.project.id}/releases`;
  await app.post(`/projects/${made.project.id}/milestones`, { json: { title: 'M' } });
  const body = { tag_name: 'v1', ref: 'main', description: 'Notes', milestones: ['M'], ...json };
  expectStatus(await app.post(path, { json: body }), 201);
  await app.drain();
  const evidences = async () => expectStatus<ReleaseJson>(await app.get(`${path}/v1`), 200).evidences!;
  return { ...made, path, evidences };
}

test('of a new release evidence is collected at once, and never again by itself', async (t) => {
  const { project, evidences, path } = await makeRelease(t);
  const [evidence, ...others] = await evidences();
  assert.equal(others.length, 0);
  assert.equal(evidence?.collected_at, clock.now().toISOString());
  assert.match(evidence!.filepath, new RegExp(`^${url}/${project.full_path}/-/releases/v1/evidences/\\d+\\.json$`));
  const response = await fetch(evidence!.filepath, { headers: { 'private-token': ROOT_TOKEN } });
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const text = await response.text();
  assert.equal(hash('sha256', text, 'hex'), evidence?.sha);
  const { release } = JSON.parse(text);
  assert.deepEqual(
    [release.tag_name, release.name, release.description, release.project.id, release.milestones[0].title],
    ['v1', 'v1', 'Notes', project.id, 'M'],
  );
  await app.deps.db.transaction().execute(async (db) => {
    const { COLLECT_EVIDENCE } = await import('./evidence-due.ts');
    await app.deps.jobs.enqueue(db, COLLECT_EVIDENCE, { release_id: release.id });
  });
  await app.drain();
  assert.equal((await evidences()).length, 1);
  expectStatus(await app.put(`${path}/v1`, { json: { description: 'Other' } }), 200);
  await app.drain();
  const again = await fetch(evidence!.filepath, { headers: { 'private-token': ROOT_TOKEN } });
  assert.equal(await again.text(), text);
  assert.equal((await fetch(evidence!.filepath)).status, 404);
});

test('of an upcoming release it is collected when its time has come, wherever that moves', async (t) => {
  const at = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS).toISOString();
  const { evidences, path } = await makeRelease(t, { released_at: at(2) });
  assert.deepEqual(await evidences(), []);
  expectStatus(await app.put(`${path}/v1`, { json: { released_at: at(4) } }), 200);
  clock.advance(3 * HOUR_MS);
  await app.drain();
  assert.deepEqual(await evidences(), []);
  clock.advance(2 * HOUR_MS);
  await app.drain();
  assert.equal((await evidences()).length, 1);
  const early = await makeRelease(t, { released_at: at(9) });
  expectStatus(await app.put(`${early.path}/v1`, { json: { released_at: at(-1) } }), 200);
  clock.advance(120_000);
  await app.drain();
  assert.equal((await early.evidences()).length, 1);
});

test('of a release of the past none is collected, unless somebody asks', async (t) => {
  const { evidences, path } = await makeRelease(t, { released_at: '2020-01-01T00:00:00Z' });
  clock.advance(HOUR_MS);
  await app.drain();
  assert.deepEqual(await evidences(), []);
  const shown = expectStatus<ReleaseJson>(await app.post(`${path}/v1/evidence`), 200);
  assert.equal(shown.evidences?.length, 1);
  expectStatus(await app.post(`${path}/v1/evidence`), 200);
  assert.equal((await evidences()).length, 2);
  const { id } = await app.deps.db.selectFrom('releases').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
  const row = { release_id: id, summary: '{}', sha: 'x', created_at: clock.now().toISOString() };
  await app.deps.db
    .insertInto('release_evidences')
    .values(Array.from({ length: 98 }, () => row))
    .execute();
  const refused = expectStatus<{ message: string }>(await app.post(`${path}/v1/evidence`), 400);
  assert.match(refused.message, /at most 100 evidences/);
});

test('evidence that tells of milestones is for those who may read milestones', async (t) => {
  const { project, evidences } = await makeRelease(t);
  const hidden = { visibility: 'public', issues_access_level: 'private', merge_requests_access_level: 'private' };
  expectStatus(await app.put(`/projects/${project.id}`, { json: hidden }), 200);
  const [evidence] = await evidences();
  const status = async (headers = {}) => (await fetch(evidence!.filepath, { headers })).status;
  const { token } = await app.make.user();
  assert.equal(await status(), 404);
  assert.equal(await status({ 'private-token': token }), 404);
  assert.equal(await status({ 'private-token': ROOT_TOKEN }), 200);
  const shown = { issues_access_level: 'enabled' };
  expectStatus(await app.put(`/projects/${project.id}`, { json: shown }), 200);
  assert.equal(await status(), 200);
});
