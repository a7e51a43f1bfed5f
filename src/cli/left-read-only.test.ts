import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { leftReadOnly } from './left-read-only.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('repositories that nothing keeps from being written are named, those that move are not', async () => {
  const { db } = app.deps;
  const project = await app.make.project();
  const snippet = { title: 'x', file_name: 'a.txt', content: 'x', visibility: 'private' };
  const { id } = expectStatus<{ id: number }>(await app.post('/snippets', { json: snippet }), 201);
  expectStatus(await app.post(`/projects/${project.id}/wikis`, { json: { title: 'home', content: 'x' } }), 201);
  const wiki = await db.selectFrom('wikis').select('id').executeTakeFirstOrThrow();
  assert.deepEqual(await leftReadOnly(db, 10), []);
  for (const table of ['projects', 'snippets', 'wikis'] as const) {
    await db.updateTable(table).set({ repository_read_only: 1 }).execute();
  }
  assert.deepEqual(await leftReadOnly(db, 10), [project.full_path, `snippet ${id}`, `wiki ${wiki.id}`]);
  assert.deepEqual(await leftReadOnly(db, 2), [project.full_path, `snippet ${id}`]);
  for (const table of ['projects', 'snippets', 'wikis'] as const) {
    await db.updateTable(table).set({ repository_read_only: 0 }).execute();
  }
  const to = { json: { destination_storage_name: 'second' } };
  expectStatus(await app.post(`/projects/${project.id}/repository_storage_moves`, to), 201);
  assert.deepEqual(await leftReadOnly(db, 10), []);
  await app.drain();
  assert.deepEqual(await leftReadOnly(db, 10), []);
});
