import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const create = async (name: string) =>
  expectStatus<Json>(await app.post('/topics', { json: { name, title: `Title of ${name}` } }), 201);

test('topics are made, shown, changed and removed by administrators', async () => {
  const topic = await create('alpha');
  const path = `/topics/${topic.id}`;
  assert.deepEqual(expectStatus<Json>(await app.get(path, { token: null }), 200), {
    id: topic.id,
    name: 'alpha',
    title: 'Title of alpha',
    description: null,
    total_projects_count: 0,
    organization_id: 1,
    avatar_url: null,
  });
  const { token } = await app.make.user();
  expectStatus(await app.post('/topics', { token, json: { name: 'x', title: 'x' } }), 403);
  expectStatus(await app.put(path, { token, json: { title: 'x' } }), 403);
  expectStatus(await app.delete(path, { token }), 403);
  expectStatus(await app.post('/topics', { token: null, json: { name: 'x', title: 'x' } }), 401);
  const taken = expectStatus<Json>(await app.post('/topics', { json: { name: 'ALPHA', title: 'x' } }), 400);
  assert.deepEqual(taken.errors, { name: ['has already been taken'] });
  expectStatus(await app.post('/topics', { json: { name: 'no-title' } }), 400);
  assert.equal(expectStatus<Json>(await app.put(path, { json: { description: 'Text' } }), 200).description, 'Text');
  expectStatus(await app.delete(path), 204);
  expectStatus(await app.get(path), 404);
  expectStatus(await app.put(path, { json: { title: 'x' } }), 404);
});

test('GET /topics searches and counts only projects that are not private', async () => {
  const { token } = await app.make.user();
  for (const [name, visibility] of [
    ['topic-public', 'public'],
    ['topic-private', 'private'],
  ]) {
    expectStatus(await app.post('/projects', { token, json: { name, visibility, topics: ['beta'] } }), 201);
  }
  await create('beta-unused');
  const names = async (query: Record<string, string>) =>
    expectStatus<Json[]>(await app.get('/topics', { token: null, query }), 200).map((entry) => [
      entry.name,
      entry.total_projects_count,
    ]);
  assert.deepEqual(await names({ search: 'BETA' }), [
    ['beta', 1],
    ['beta-unused', 0],
  ]);
  assert.deepEqual(await names({ search: 'beta', without_projects: 'true' }), [['beta-unused', 0]]);
});

test('POST /topics/merge gives the projects of one topic to another', async () => {
  const [from, to] = [await create('merge-from'), await create('merge-to')];
  const both = await app.post('/projects', {
    json: { name: 'both', topics: 'merge-from,merge-to', visibility: 'public' },
  });
  const one = await app.post('/projects', { json: { name: 'one', topics: 'merge-from', visibility: 'public' } });
  expectStatus(both, 201);
  const json = { source_topic_id: from.id, target_topic_id: to.id };
  assert.equal(expectStatus<Json>(await app.post('/topics/merge', { json }), 201).total_projects_count, 2);
  expectStatus(await app.get(`/topics/${from.id}`), 404);
  const project = expectStatus<Json>(await app.get(`/projects/${expectStatus<Json>(one, 201).id}`), 200);
  assert.deepEqual(project.topics, ['merge-to']);
  expectStatus(await app.post('/topics/merge', { json: { source_topic_id: to.id, target_topic_id: to.id } }), 400);
  expectStatus(await app.post('/topics/merge', { json }), 404);
});
