import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const create = async (path: string, json: Json = {}, token?: string) =>
  expectStatus<Json>(await app.post(path, { json, ...(token === undefined ? {} : { token }) }), 201);
const places = async () => [
  '/service_accounts',
  `/groups/${(await app.make.group()).id}/service_accounts`,
  `/projects/${(await app.make.project()).id}/service_accounts`,
];

test('service accounts are made, listed, changed and deleted, everywhere alike', async () => {
  for (const path of await places()) {
    const made = await create(path);
    assert.equal(made.name, 'Service account user', path);
    assert.match(String(made.username), /^service_account(_(group|project)_\d+)?_[a-z0-9]{32}$/);
    assert.equal(made.email, `${made.username}@noreply.127.0.0.1`);
    const username = `robot-${made.id}`;
    const named = await create(path, { name: 'Robot', username, email: `${username}@example.org` });
    assert.deepEqual([named.name, named.username, named.email], ['Robot', username, `${username}@example.org`]);
    const list = async (query: Record<string, string> = {}) =>
      expectStatus<Json[]>(await app.get(path, { query }), 200).map(({ id }) => id);
    assert.deepEqual(await list(), [named.id, made.id]);
    assert.deepEqual(await list({ order_by: 'username', sort: 'asc' }), [named.id, made.id]);
    assert.deepEqual(await list({ order_by: 'id', sort: 'asc' }), [made.id, named.id]);
    const one = `${path}/${named.id}`;
    const changed = expectStatus<Json>(
      await app.patch(one, { json: { name: 'Other', username: `${username}x` } }),
      200,
    );
    assert.deepEqual(changed, { id: named.id, name: 'Other', username: `${username}x`, email: named.email });
    expectStatus(await app.patch(one, { json: { username: 'root' } }), 409);
    expectStatus(await app.delete(one), 204);
    expectStatus(await app.delete(one), 404);
    expectStatus(await app.patch(one, { json: { name: 'x' } }), 404);
    assert.deepEqual(await list(), [made.id]);
    const taken = await app.post(path, { json: { username: 'root' } });
    assert.equal(expectStatus<Json>(taken, 400).message, 'username has already been taken');
    expectStatus(await app.post(path, { json: { email: 'no address' } }), 400);
    expectStatus(await app.post(path, { json: { order: 1, username: 'with space' } }), 400);
  }
});

test('tokens of service accounts are made, used, listed, rotated and revoked', async () => {
  for (const path of await places()) {
    const account = await create(path);
    const tokens = `${path}/${account.id}/personal_access_tokens`;
    const made = await create(tokens, { name: 'ci', scopes: ['api'], description: 'For pipelines' });
    const self = expectStatus<Json>(await app.get('/user', { token: String(made.token) }), 200);
    assert.deepEqual([self.id, self.bot], [account.id, true]);
    assert.deepEqual([made.user_id, made.description, made.active], [account.id, 'For pipelines', true]);
    const rotated = expectStatus<Json>(await app.post(`${tokens}/${made.id}/rotate`), 200);
    expectStatus(await app.get('/user', { token: String(made.token) }), 401);
    expectStatus(await app.get('/user', { token: String(rotated.token) }), 200);
    const active = await app.get(tokens, { query: { state: 'active' } });
    assert.deepEqual(
      expectStatus<Json[]>(active, 200).map(({ id, token }) => [id, token]),
      [[rotated.id, undefined]],
    );
    expectStatus(await app.delete(`${tokens}/${rotated.id}`), 204);
    expectStatus(await app.get('/user', { token: String(rotated.token) }), 401);
    expectStatus(await app.delete(`${tokens}/999999`), 404);
    expectStatus(await app.post(`${tokens}/999999/rotate`), 404);
    expectStatus(await app.post(tokens, { json: { name: 'x', scopes: [] } }), 400);
    expectStatus(await app.post(tokens, { json: { name: 'x', scopes: ['sudo'] } }), 400);
    expectStatus(await app.get(`${path}/1/personal_access_tokens`), 404);
  }
});

test('a home manages its own accounts alone', async () => {
  const [server, group, project] = await places();
  for (const [owner, other] of [
    [server, group],
    [group, project],
    [project, server],
  ] as const) {
    const { id } = await create(owner!);
    expectStatus(await app.patch(`${other}/${id}`, { json: { name: 'x' } }), 404);
    expectStatus(await app.delete(`${other}/${id}`), 404);
    const json = { name: 'x', scopes: ['api'] };
    expectStatus(await app.post(`${other}/${id}/personal_access_tokens`, { json }), 404);
  }
});

test('administrators, owners of groups and maintainers of projects manage service accounts', async () => {
  const { group, owner, maintainer } = await staffedGroup(app);
  const project = await app.make.project({ namespace: group });
  const stranger = await app.make.user();
  for (const [path, allowed, refused] of [
    ['/service_accounts', undefined, owner.token],
    [`/groups/${group.id}/service_accounts`, owner.token, maintainer.token],
    [`/projects/${project.id}/service_accounts`, maintainer.token, (await app.make.user()).token],
  ] as const) {
    const { id } = await create(path, {}, allowed);
    for (const token of [refused, stranger.token, null]) {
      const statuses = [401, 403, 404];
      assert.ok(statuses.includes((await app.get(path, { token })).statusCode));
      assert.ok(statuses.includes((await app.post(path, { token, json: {} })).statusCode));
      assert.ok(statuses.includes((await app.patch(`${path}/${id}`, { token, json: {} })).statusCode));
      assert.ok(statuses.includes((await app.delete(`${path}/${id}`, { token })).statusCode));
      const tokens = `${path}/${id}/personal_access_tokens`;
      assert.ok(statuses.includes((await app.get(tokens, { token })).statusCode));
      const json = { name: 'x', scopes: ['api'] };
      assert.ok(statuses.includes((await app.post(tokens, { token, json })).statusCode));
    }
  }
});

test('nobody becomes an administrator, or somebody else, through a service account', async () => {
  const { group, owner } = await staffedGroup(app);
  const path = `/groups/${group.id}/service_accounts`;
  const { id } = await create(path, {}, owner.token);
  const address = 'victim@example.org';
  expectStatus(await app.patch(`${path}/${id}`, { token: owner.token, json: { email: address } }), 200);
  const shown = async () => expectStatus<Json>(await app.get(`/users/${id}`), 200);
  assert.deepEqual([(await shown()).email, (await shown()).confirmed_at], [address, null]);
  assert.equal((await shown()).provisioned_by_group_id, group.id);
  const made = await create(path, { email: 'victim-2@example.org' }, owner.token);
  const { confirmed_at } = expectStatus<Json>(await app.get(`/users/${made.id}`), 200);
  assert.equal(confirmed_at, null);
  const json = { name: 'x', scopes: ['api'] };
  const token = await create(`${path}/${id}/personal_access_tokens`, json, owner.token);
  expectStatus(await app.post('/groups', { token: String(token.token), json: { name: 'own', path: 'own' } }), 403);
  expectStatus(await app.put(`/users/${id}`, { json: { admin: true } }), 200);
  const tokens = `${path}/${id}/personal_access_tokens`;
  expectStatus(await app.post(tokens, { token: owner.token, json }), 403);
  expectStatus(await app.post(`${tokens}/${token.id}/rotate`, { token: owner.token }), 403);
  expectStatus(await app.patch(`${path}/${id}`, { token: owner.token, json: { name: 'x' } }), 403);
  expectStatus(await app.delete(`${path}/${id}`, { token: owner.token }), 403);
});

test('a maintainer does not act through an account that stands higher in the project', async () => {
  const project = await app.make.project();
  const { maintainer } = await app.make.members(project);
  const path = `/projects/${project.id}/service_accounts`;
  const { id } = await create(path, {}, maintainer.token);
  const tokens = `${path}/${id}/personal_access_tokens`;
  const json = { name: 'x', scopes: ['api'] };
  const made = await create(tokens, json, maintainer.token);
  const member = { user_id: id, access_level: 50 };
  expectStatus(await app.post(`/projects/${project.id}/members`, { json: member }), 201);
  const { token } = maintainer;
  expectStatus(await app.post(tokens, { token, json }), 403);
  expectStatus(await app.post(`${tokens}/${made.id}/rotate`, { token }), 403);
  expectStatus(await app.patch(`${path}/${id}`, { token, json: { name: 'x' } }), 403);
  expectStatus(await app.delete(`${path}/${id}`, { token }), 403);
  expectStatus(await app.delete(`${tokens}/${made.id}`, { token }), 204);
});

test('nor through one whose custom role gives what maintainers have not', async () => {
  const project = await app.make.project();
  const { maintainer } = await app.make.members(project);
  const path = `/projects/${project.id}/service_accounts`;
  const act = async (permission: 'read_code' | 'remove_project', status: number) => {
    const { id } = await create(path, {}, maintainer.token);
    const member_role_id = await app.make.memberRole(10, [permission]);
    const member = { user_id: id, access_level: 10, member_role_id };
    expectStatus(await app.post(`/projects/${project.id}/members`, { json: member }), 201);
    const json = { name: 'x', scopes: ['api'] };
    const tokens = `${path}/${id}/personal_access_tokens`;
    expectStatus(await app.post(tokens, { token: maintainer.token, json }), status);
  };
  await act('read_code', 201);
  await act('remove_project', 403);
});

test('accounts of a group or project are members only there', async () => {
  const group = await app.make.group();
  const [inside, outside] = [await app.make.project({ namespace: group }), await app.make.project()];
  const ofGroup = await create(`/groups/${group.id}/service_accounts`);
  const ofProject = await create(`/projects/${inside.id}/service_accounts`);
  const ofServer = await create('/service_accounts');
  const add = async (place: string, account: Json) =>
    (await app.post(`/${place}/members`, { json: { user_id: account.id, access_level: 30 } })).statusCode;
  assert.equal(await add(`projects/${outside.id}`, ofGroup), 400);
  assert.equal(await add(`projects/${outside.id}`, ofProject), 400);
  assert.equal(await add(`groups/${group.id}`, ofProject), 400);
  assert.equal(await add(`projects/${inside.id}`, ofGroup), 201);
  assert.equal(await add(`projects/${inside.id}`, ofProject), 201);
  assert.equal(await add(`projects/${outside.id}`, ofServer), 201);
});

test('accounts end with the group or project that made them', async () => {
  for (const kind of ['group', 'project'] as const) {
    const { id } = await app.make[kind]();
    const path = `/${kind}s/${id}/service_accounts`;
    const account = await create(path);
    const made = await create(`${path}/${account.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] });
    expectStatus(await app.get('/user', { token: String(made.token) }), 200);
    expectStatus(await app.delete(`/${kind}s/${id}`), 202);
    expectStatus(await app.get('/user', { token: String(made.token) }), 401);
    assert.equal(expectStatus<Json>(await app.get(`/users/${account.id}`), 200).state, 'blocked');
  }
});
