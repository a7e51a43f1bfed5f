import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { flagProject } from '../../../../test/support/feature-flags.ts';

interface UserList {
  id: number;
  iid: number;
  name: string;
  user_xids: string;
  message?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

async function setting() {
  const made = await flagProject(app);
  const path = `/projects/${made.project.id}/feature_flags_user_lists`;
  const add = async (name: string, user_xids = 'ada,bo') =>
    expectStatus<UserList>(await app.post(path, { json: { name, user_xids } }), 201);
  return { ...made, path, add };
}

describe('a user list', () => {
  test('is made, shown, changed and deleted by its number in the project', async () => {
    const { project, path, add } = await setting();
    const first = await add('First');
    const list = `/${project.full_path}/-/feature_flags_user_lists/1`;
    assert.deepEqual(first, {
      id: first.id,
      iid: 1,
      name: 'First',
      user_xids: 'ada,bo',
      project_id: project.id,
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:00:00.000Z',
      path: list,
      edit_path: `${list}/edit`,
    });
    assert.deepEqual(expectStatus(await app.get(`${path}/1`), 200), first);
    assert.equal((await add('second')).iid, 2);
    const changed = expectStatus(await app.put(`${path}/1`, { json: { user_xids: '' } }), 200);
    assert.deepEqual(changed, { ...first, user_xids: '' });
    const renamed = expectStatus(await app.put(`${path}/1`, { json: { name: 'Other' } }), 200);
    assert.deepEqual(renamed, { ...first, name: 'Other', user_xids: '' });
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expectStatus(await app.delete(`${path}/2`, { headers: old }), 412);
    expectStatus(await app.delete(`${path}/2`), 204);
    for (const response of [await app.get(`${path}/2`), await app.put(`${path}/2`), await app.delete(`${path}/2`)]) {
      assert.equal(expectStatus<UserList>(response, 404).message, '404 Not Found');
    }
    assert.equal((await add('third')).iid, 3);
  });

  test('is found by a part of its name', async () => {
    const { path, add } = await setting();
    for (const name of ['Beta testers', 'staff', 'alphabet']) await add(name);
    const names = async (query: Record<string, string>) =>
      expectStatus<UserList[]>(await app.get(path, { query }), 200).map(({ name }) => name);
    assert.deepEqual(await names({}), ['Beta testers', 'staff', 'alphabet']);
    assert.deepEqual(await names({ search: 'BET' }), ['Beta testers', 'alphabet']);
    assert.deepEqual(await names({ search: '%' }), []);
    assert.deepEqual(await names({ per_page: '1', page: '2' }), ['staff']);
  });

  test('is not deleted while a strategy has it', async () => {
    const { path, add, create, change } = await setting();
    const { id } = await add('used');
    const flag = await create({ name: 'flag', strategies: [{ name: 'svcUserList', user_list_id: id }] });
    const refused = expectStatus<UserList>(await app.delete(`${path}/1`), 409);
    assert.equal(refused.message, 'User list is associated with a strategy');
    expectStatus(await app.get(`${path}/1`), 200);
    await change('flag', { strategies: [{ id: flag.strategies[0]!.id, _destroy: true }] });
    expectStatus(await app.delete(`${path}/1`), 204);
  });

  test('that is deleted while a strategy is given it leaves no strategy without one', async () => {
    const { path, add, project } = await setting();
    const { id } = await add('raced');
    const strategies = [{ name: 'svcUserList', user_list_id: id }];
    const [made, gone] = await Promise.all([
      app.post(`/projects/${project.id}/feature_flags`, { json: { name: 'flag', strategies } }),
      app.delete(`${path}/1`),
    ]);
    assert.ok(
      (made.statusCode === 201 && gone.statusCode === 409) || (made.statusCode === 400 && gone.statusCode === 204),
      `${made.statusCode} ${gone.statusCode}`,
    );
  });
});

test('user lists that do not fit are refused', async () => {
  const { path, add } = await setting();
  await add('taken');
  const IDS = 'User xids user_xids must be a string of unique comma separated values each 256 characters or less';
  for (const [json, message] of [
    [{ name: 'taken', user_xids: 'a' }, 'Name has already been taken'],
    [{ name: '', user_xids: 'a' }, "Name can't be blank"],
    [{ name: 'n'.repeat(256), user_xids: 'a' }, 'Name is too long (maximum is 255 characters)'],
    [{ name: 'x', user_xids: 'a,a' }, IDS],
    [{ name: 'x', user_xids: 'a, b' }, IDS],
    [{ name: 'x', user_xids: 'a,,b' }, IDS],
    [{ name: 'x', user_xids: 'a\nb' }, IDS],
    [{ name: 'x', user_xids: 'u'.repeat(257) }, IDS],
    [{ user_xids: 'a' }, 'name is missing'],
    [{ name: 'x' }, 'user_xids is missing'],
  ] as const) {
    assert.equal(expectStatus<UserList>(await app.post(path, { json }), 400).message, message);
  }
  await add('other');
  const json = { name: 'taken' };
  assert.equal(
    expectStatus<UserList>(await app.put(`${path}/2`, { json }), 400).message,
    'Name has already been taken',
  );
  expectStatus(await app.get(`${path}/x`), 400);
});

test('of two user lists of one name that are made at once, one is', async () => {
  const { path } = await setting();
  const json = { name: 'race', user_xids: 'a' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => app.post(path, { json })));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400]);
});

test('user lists are for Developers', async () => {
  const { path, project, add } = await setting();
  await add('list');
  const statuses: Record<string, number[]> = {};
  for (const [role, { token }] of Object.entries(await app.make.members(project))) {
    const made = await app.post(path, { token, json: { name: role, user_xids: 'a' } });
    const mine = made.statusCode === 201 ? made.json<UserList>().iid : 1;
    statuses[role] = [
      (await app.get(path, { token })).statusCode,
      (await app.get(`${path}/1`, { token })).statusCode,
      made.statusCode,
      (await app.put(`${path}/1`, { token, json: {} })).statusCode,
      (await app.delete(`${path}/${mine}`, { token })).statusCode,
    ];
  }
  const may = [200, 200, 201, 200, 204];
  const no = [403, 403, 403, 403, 403];
  assert.deepEqual(statuses, {
    guest: no,
    planner: no,
    reporter: no,
    developer: may,
    maintainer: may,
    owner: may,
    stranger: [404, 404, 404, 404, 404],
  });
  for (const method of ['GET', 'PUT', 'DELETE']) {
    expectStatus(await app.request(method, `${path}/1`, { token: null }), 401);
  }
  expectStatus(await app.get(path, { token: null }), 401);
  expectStatus(await app.post(path, { token: null, json: { name: 'x', user_xids: '' } }), 401);
});
