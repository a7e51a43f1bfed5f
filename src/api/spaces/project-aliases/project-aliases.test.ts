import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const PATH = '/project_aliases';
const create = async (json: Json, status = 201) => expectStatus<Json>(await app.post(PATH, { json }), status);

test('aliases of projects are made, shown and removed', async () => {
  const project = await app.make.project();
  const made = await create({ project_id: project.id, name: 'short' });
  assert.deepEqual(made, { id: made.id, project_id: project.id, name: 'short' });
  const second = await create({ project_id: project.full_path, name: 'other.name' });
  assert.deepEqual(expectStatus(await app.get(PATH), 200), [made, second]);
  assert.deepEqual(expectStatus(await app.get(`${PATH}/other.name`), 200), second);
  expectStatus(await app.delete(`${PATH}/short`), 204);
  expectStatus(await app.delete(`${PATH}/short`), 404);
  expectStatus(await app.get(`${PATH}/short`), 404);
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  assert.deepEqual(expectStatus(await app.get(PATH), 200), []);
});

test('bad aliases are refused', async () => {
  const { id } = await app.make.project();
  await create({ project_id: id, name: 'taken' });
  const message = async (json: Json, status = 400) => (await create(json, status)).message;
  assert.equal(await message({ project_id: id, name: 'taken' }), 'name has already been taken');
  for (const name of ['a/b', '-a', 'a b', 'a.git', 'ä']) {
    assert.equal(await message({ project_id: id, name }), 'name is invalid', name);
  }
  assert.equal(await message({ project_id: 999_999, name: 'x' }, 404), '404 Project Not Found');
  assert.match(String(await message({ name: 'x' })), /project_id is missing/);
  assert.match(String(await message({ project_id: id })), /name is missing/);
});

test('aliases are for administrators', async () => {
  const { user, token } = await app.make.user();
  const { id } = await app.make.project({ owner: user });
  await create({ project_id: id, name: 'hidden' });
  for (const [who, status] of [
    [token, 403],
    [null, 401],
  ] as const) {
    expectStatus(await app.get(PATH, { token: who }), status);
    expectStatus(await app.get(`${PATH}/hidden`, { token: who }), status);
    expectStatus(await app.post(PATH, { token: who, json: { project_id: id, name: 'x' } }), status);
    expectStatus(await app.delete(`${PATH}/hidden`, { token: who }), status);
  }
});
