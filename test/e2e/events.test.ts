import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';

let app: TestApp;
let project: { id: number };
before(async () => {
  app = await buildTestApp();
  const made = await app.post('/projects', { json: { name: 'told', initialize_with_readme: true } });
  project = expectStatus<{ id: number }>(made, 201);
});
beforeEach(() => app.deps.jobs.drain(60_000));
after(() => app.close());

const kinds = async () =>
  (await app.deps.db.selectFrom('jobs').select('kind').where('recurring', '=', 0).orderBy('kind').execute()).map(
    ({ kind }) => kind,
  );

async function lastEvent(type: string): Promise<Record<string, Record<string, unknown>>> {
  const query = app.deps.db.selectFrom('domain_events').select('payload').where('type', '=', type);
  return JSON.parse((await query.orderBy('id', 'desc').executeTakeFirstOrThrow()).payload);
}

const issue = async (json: object) =>
  expectStatus<{ iid: number }>(await app.post(`/projects/${project.id}/issues`, { json }), 201);

test('what happens costs the jobs of those alone who have something to do for it', async () => {
  await issue({ title: 'Plain', description: 'nothing is named' });
  assert.deepEqual(await kinds(), ['event:activity-feed']);
  await app.deps.jobs.drain(60_000);
  const { iid } = await issue({ title: 'Named', description: 'see #1' });
  assert.deepEqual(await kinds(), ['event:activity-feed', 'event:references.issue']);
  await app.deps.jobs.drain(60_000);
  const notes = `/projects/${project.id}/issues/${iid}/notes`;
  expectStatus(await app.post(notes, { json: { body: 'plain' } }), 201);
  assert.deepEqual(await kinds(), ['event:activity-feed']);
  await app.deps.jobs.drain(60_000);
  const tags = `/projects/${project.id}/repository/tags`;
  expectStatus(await app.post(tags, { json: { tag_name: 'v1', ref: 'main' } }), 201);
  const afterPush = ['event:activity-feed', 'event:ci.push', 'maintain-repository', 'project.statistics'];
  assert.deepEqual(await kinds(), afterPush);
  await app.deps.jobs.drain(60_000);
  const [head] = expectStatus<{ id: string }[]>(await app.get(`/projects/${project.id}/repository/commits`), 200);
  expectStatus(await app.post(`/projects/${project.id}/statuses/${head!.id}`, { json: { state: 'success' } }), 201);
  assert.deepEqual(await kinds(), []);
  expectStatus(await app.post(`/projects/${project.id}/statuses/${head!.id}`, { json: { state: 'failed' } }), 201);
  assert.deepEqual(await kinds(), ['event:todos.builds']);
});

test('an event tells what was there when it happened, also of what has gone since', async () => {
  const { iid } = await issue({ title: 'First title', description: 'First words', confidential: true });
  const at = `/projects/${project.id}/issues/${iid}`;
  expectStatus(await app.put(at, { json: { title: 'Second title' } }), 200);
  const note = expectStatus<{ id: number }>(await app.post(`${at}/notes`, { json: { body: 'Said' } }), 201);
  expectStatus(await app.delete(`${at}/notes/${note.id}`), 204);
  expectStatus(await app.delete(at), 204);
  assert.equal((await lastEvent('issue.created')).issue!.title, 'First title');
  assert.deepEqual((await lastEvent('issue.updated')).changes!.title, ['First title', 'Second title']);
  assert.equal((await lastEvent('note.destroyed')).note!.note, 'Said');
  const gone = (await lastEvent('issue.destroyed')).issue!;
  assert.deepEqual(
    [gone.title, gone.description, gone.confidential, gone.iid],
    ['Second title', 'First words', 1, iid],
  );
  const group = expectStatus<{ id: number }>(await app.post('/groups', { json: { name: 'G', path: 'g' } }), 201);
  const within = await app.post('/projects', { json: { name: 'Inner', path: 'inner', namespace_id: group.id } });
  expectStatus(within, 201);
  expectStatus(await app.delete(`/groups/${group.id}`), 202);
  const { project: removed } = await lastEvent('project.destroyed');
  assert.deepEqual(
    [removed!.name, removed!.full_path, removed!.visibility, removed!.namespace_id],
    ['Inner', 'g/inner', 'private', group.id],
  );
  assert.equal((await lastEvent('group.destroyed')).group!.name, 'G');
});
