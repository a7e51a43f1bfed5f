import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

interface Token {
  id: number;
  name: string;
  token: string;
  user_id: number;
  access_level: number;
  resource_type: string;
  resource_id: number;
  revoked: boolean;
  active: boolean;
  expires_at: string;
  scopes: string[];
  message?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

async function source(kind: 'project' | 'group') {
  const { user, token } = await app.make.user();
  if (kind === 'group') {
    const group = await app.make.group({ owner: user });
    return { path: `/groups/${group.id}`, id: group.id, token };
  }
  const project = await app.make.project();
  await app.make.member({ project }, user, 40);
  return { path: `/projects/${project.id}`, id: project.id, token };
}

for (const kind of ['project', 'group'] as const) {
  test(`a ${kind} access token is a bot with the wanted level`, async () => {
    const { path, id, token } = await source(kind);
    const json = { name: 'robot', scopes: ['api'], access_level: 30, description: 'for releases' };
    const made = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 201);
    assert.match(made.token, /^glpat-/);
    assert.deepEqual(
      [made.name, made.access_level, made.resource_type, made.resource_id, made.expires_at, made.active],
      ['robot', 30, kind, id, '2027-06-15', true],
    );
    const bot = await app.deps.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', made.user_id)
      .executeTakeFirstOrThrow();
    assert.equal(bot.kind, `${kind}_bot`);
    assert.match(bot.username, new RegExp(`^${kind}_${id}_bot_[a-z0-9]{32}$`));
    assert.match(bot.email, new RegExp(`^${bot.username}@noreply\\.`));
    expectStatus(await app.get(path.replace(/\d+$/, `${id}/members`), { token: made.token }), 200);
    expectStatus(await app.post(`${path}/members`, { token: made.token, json: { user_id: 1, access_level: 10 } }), 403);
    const shown = expectStatus<Token>(await app.get(`${path}/access_tokens/${made.id}`, { token }), 200);
    assert.equal(shown.token, undefined);
    const list = expectStatus<Token[]>(
      await app.get(`${path}/access_tokens`, { token, query: { state: 'active', search: 'ROB' } }),
      200,
    );
    assert.deepEqual(
      list.map((each) => [each.id, each.access_level]),
      [[made.id, 30]],
    );
  });

  test(`a revoked ${kind} access token stops at once, its bot is no member any more`, async () => {
    const { path, token } = await source(kind);
    const json = { name: 'robot', scopes: ['api'], access_level: 20 };
    const made = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 201);
    expectStatus(await app.delete(`${path}/members/${made.user_id}`, { token }), 403);
    expectStatus(await app.delete(`${path}/access_tokens/${made.id}`, { token }), 204);
    expectStatus(await app.get(path.replace(/$/, '/members'), { token: made.token }), 401);
    expectStatus(await app.get(`${path}/members/${made.user_id}`, { token }), 404);
    const shown = expectStatus<Token>(await app.get(`${path}/access_tokens/${made.id}`, { token }), 200);
    assert.deepEqual([shown.revoked, shown.active, shown.access_level], [true, false, 0]);
    const active = await app.get(`${path}/access_tokens`, { token, query: { state: 'active' } });
    assert.deepEqual(expectStatus(active, 200), []);
  });

  test(`a ${kind} access token is rotated by its manager and by itself`, async () => {
    const { path, token } = await source(kind);
    const json = { name: 'robot', scopes: ['read_api', 'self_rotate'], access_level: 20 };
    const first = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 201);
    const second = expectStatus<Token>(await app.post(`${path}/access_tokens/${first.id}/rotate`, { token }), 200);
    assert.deepEqual([second.user_id, second.expires_at, second.access_level], [first.user_id, '2026-06-22', 20]);
    expectStatus(await app.get(`${path}/members`, { token: first.token }), 401);
    const self = `${path}/access_tokens/self/rotate`;
    const third = expectStatus<Token>(
      await app.post(self, { token: second.token, json: { expires_at: '2026-07-01' } }),
      200,
    );
    assert.equal(third.expires_at, '2026-07-01');
    expectStatus(await app.get(`${path}/members`, { token: third.token }), 200);
    expectStatus(await app.post(self, { token }), 401);
    expectStatus(await app.post(self, { token: second.token }), 401);
    expectStatus(await app.get(`${path}/members`, { token: third.token }), 401);
  });

  test(`a bot that manages the tokens of a ${kind} rotates its own by the id`, async () => {
    const { path } = await source(kind);
    const json = { name: 'robot', scopes: ['api'], access_level: 50 };
    const first = expectStatus<Token>(await app.post(`${path}/access_tokens`, { json }), 201);
    const rotate = `${path}/access_tokens/${first.id}/rotate`;
    const second = expectStatus<Token>(await app.post(rotate, { token: first.token }), 200);
    expectStatus(await app.get(`${path}/members`, { token: second.token }), 200);
  });

  test(`without rights on a ${kind} its tokens answer 401, hidden ones 404`, async () => {
    const { path, token } = await source(kind);
    const other = await source(kind);
    const json = { name: 'robot', scopes: ['api'], access_level: 30 };
    const made = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 201);
    expectStatus(await app.get(`${path}/access_tokens`, { token: made.token }), 401);
    expectStatus(await app.post(`${path}/access_tokens`, { token: made.token, json }), 401);
    expectStatus(await app.get(`${path}/access_tokens`, { token: null }), 401);
    expectStatus(await app.get(`${path}/access_tokens`, { token: other.token }), 404);
    const missing = await app.get(`${other.path}/access_tokens/${made.id}`, { token: other.token });
    assert.equal(
      expectStatus<Token>(missing, 404).message,
      `404 Could not find ${kind} access token with token_id: ${made.id} Not Found`,
    );
    expectStatus(await app.delete(`${other.path}/access_tokens/${made.id}`, { token: other.token }), 404);
    expectStatus(await app.post(`${other.path}/access_tokens/${made.id}/rotate`, { token: other.token }), 404);
    expectStatus(await app.post(`${other.path}/access_tokens/self/rotate`, { token: made.token }), 404);
  });
}

test('no token reaches further than who makes or rotates it', async () => {
  const { path, token } = await source('project');
  const json = { name: 'robot', scopes: ['api'], access_level: 50 };
  const refused = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 400);
  assert.equal(
    refused.message,
    "400 Bad request - Access level of the token can't be greater the access level of the user who created the token",
  );
  const made = expectStatus<Token>(await app.post(`${path}/access_tokens`, { json }), 201);
  expectStatus(await app.post(`${path}/access_tokens/${made.id}/rotate`, { token }), 400);
  const byBot = await app.post(`${path}/access_tokens`, { token: made.token, json });
  assert.equal(
    expectStatus<Token>(byBot, 400).message,
    '400 Bad request - User does not have permission to create project access token',
  );
});

test('a token that does not fit is refused and leaves no bot behind', async () => {
  const { path, token } = await source('project');
  const count = async () =>
    (await app.deps.db.selectFrom('users').select('id').where('kind', '=', 'project_bot').execute()).length;
  const before = await count();
  const refuse = async (json: object, message: string) =>
    assert.equal(expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 400).message, message);
  await refuse({}, 'name is missing, name is empty, scopes is missing');
  await refuse({ name: 'x', scopes: ['sudo'] }, 'scopes does not have a valid value');
  await refuse({ name: 'x', scopes: [] }, "scopes can't be blank");
  await refuse({ name: 'x', scopes: ['api'], access_level: 35 }, 'access_level does not have a valid value');
  await refuse({ name: 'x', scopes: ['api'], expires_at: '2027-06-17' }, 'expires_at must be before 2027-06-16');
  assert.equal(await count(), before);
});

test('bots had no namespace: now they have one, in which no project can be made', async () => {
  const { path, token } = await source('project');
  const json = { name: 'robot', scopes: ['api'], access_level: 30 };
  const made = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 201);
  const bot = expectStatus<{ username: string; namespace_id: number }>(await app.get(`/users/${made.user_id}`), 200);
  const namespace = expectStatus(await app.get(`/namespaces/${bot.namespace_id}`), 200);
  assert.deepEqual([namespace.kind, namespace.full_path], ['user', bot.username]);
  expectStatus(await app.post('/projects', { token: made.token, json: { name: 'own' } }), 403);
  const there = { name: 'own', namespace_id: bot.namespace_id };
  expectStatus(await app.post('/projects', { token: made.token, json: there }), 404);
  const open = await app.make.project({ visibility: 'public' });
  expectStatus(await app.post(`/projects/${open.id}/fork`, { token: made.token }), 403);
});

for (const kind of ['project', 'group'] as const) {
  test(`the bot of a ${kind} token makes nothing that outlives the token`, async () => {
    const { path, token } = await source(kind);
    const json = { name: 'robot', scopes: ['api'], access_level: 40 };
    const made = expectStatus<Token>(await app.post(`${path}/access_tokens`, { token, json }), 201);
    const refused = async (at: string, body: object) =>
      expectStatus(await app.post(at, { token: made.token, json: body }), 403);
    await refused('/groups', { name: 'mine', path: 'mine' });
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1v0Kc0RS5SDR0VFGzJ1Zl0FvVfHkXzXb5p9Z3iM1bE';
    await refused('/user/keys', { title: 'mine', key });
    await refused('/user/gpg_keys', { key: 'x' });
    await refused('/user/emails', { email: 'robot@example.org' });
    await refused('/user/personal_access_tokens', { name: 'mine', scopes: ['k8s_proxy'] });
    expectStatus(await app.post(`/users/${made.user_id}/keys`, { json: { title: 'theirs', key } }), 400);
    if (kind === 'project') return;
    const sub = { name: 'sub', path: 'sub', parent_id: made.resource_id };
    expectStatus(await app.post('/groups', { token: made.token, json: sub }), 201);
  });
}
