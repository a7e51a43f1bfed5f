import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { ProtectedTagJson } from './protected-tags.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const pathOf = (project: { id: number }) => `/projects/${project.id}/protected_tags`;

test('protected tags are made, listed, read and removed', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const first = expectStatus<ProtectedTagJson>(await app.post(pathOf(project), { json: { name: 'v*' } }), 201);
  const [level, ...others] = first.create_access_levels;
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...level, id: 0 },
    {
      id: 0,
      access_level: 40,
      access_level_description: 'Maintainers',
      user_id: null,
      group_id: null,
      deploy_key_id: null,
    },
  );
  const json = { name: 'beta', create_access_level: 0, allowed_to_create: [{ user_id: user.id }] };
  const second = expectStatus<ProtectedTagJson>(await app.post(pathOf(project), { json }), 201);
  assert.deepEqual(
    second.create_access_levels.map(({ access_level, access_level_description }) => [
      access_level,
      access_level_description,
    ]),
    [
      [0, 'No one'],
      [null, user.name],
    ],
  );
  // A protected branch is none of them.
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'v*' } });
  const list = await app.get(pathOf(project));
  assert.deepEqual(expectStatus(list, 200), [first, second]);
  assert.equal(list.headers['x-total'], '2');
  assert.deepEqual(expectStatus(await app.get(`${pathOf(project)}/v*`), 200), first);
  expectStatus(await app.delete(`${pathOf(project)}/v*`), 204);
  for (const response of [await app.get(`${pathOf(project)}/v*`), await app.delete(`${pathOf(project)}/v*`)]) {
    assert.equal(message(expectStatus(response, 404)), '404 Not found');
  }
  expectStatus(await app.get(`/projects/${project.id}/protected_branches/v*`), 200);
});

test('POST refuses a taken name, a blank one, odd levels and whoever has no access', async () => {
  const project = await app.make.project();
  const { user: stranger } = await app.make.user();
  const post = async (status: number, json: object) =>
    message(expectStatus(await app.post(pathOf(project), { json }), status));
  expectStatus(await app.post(pathOf(project), { json: { name: 'v*' } }), 201);
  assert.equal(await post(422, { name: 'v*' }), 'Name has already been taken');
  assert.equal(await post(422, { name: '' }), "Name can't be blank");
  assert.equal(await post(400, {}), 'name is missing');
  assert.equal(
    await post(400, { name: 'x', create_access_level: 20 }),
    'create_access_level does not have a valid value',
  );
  assert.equal(
    await post(422, { name: 'x', allowed_to_create: [{ user_id: stranger.id }] }),
    'Create access levels user is not a member of the project',
  );
});

test('DELETE heeds If-Unmodified-Since', async () => {
  const project = await app.make.project();
  await app.post(pathOf(project), { json: { name: 'v*' } });
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(`${pathOf(project)}/v*`, { headers }), 412);
});

test('protected tags need Maintainers', async () => {
  const project = await app.make.project({ visibility: 'public' });
  await app.post(pathOf(project), { json: { name: 'v*' } });
  const path = `${pathOf(project)}/v*`;
  const { stranger, guest, reporter, developer, maintainer } = await app.make.members(project);
  for (const token of [null, stranger.token, guest.token, reporter.token, developer.token]) {
    const status = token === null ? 401 : 403;
    expectStatus(await app.get(pathOf(project), { token }), status);
    expectStatus(await app.get(path, { token }), status);
    expectStatus(await app.post(pathOf(project), { token, json: { name: 'new' } }), status);
    expectStatus(await app.delete(path, { token }), status);
  }
  const readOnly = await app.make.token(maintainer.user.id, ['read_api']);
  expectStatus(await app.delete(path, { token: readOnly }), 403);
  expectStatus(await app.delete(path, { token: maintainer.token }), 204);
});
