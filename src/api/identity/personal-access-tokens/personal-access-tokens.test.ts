import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';

interface Token {
  id: number;
  name: string;
  token?: string;
  revoked: boolean;
  active: boolean;
  scopes: string[];
  user_id: number;
  expires_at: string | null;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

async function tokenFor(userId: number, json: object = {}): Promise<Token & { token: string }> {
  const response = await app.post(`/users/${userId}/personal_access_tokens`, {
    json: { name: 'made', scopes: ['api'], ...json },
  });
  return expectStatus<Token & { token: string }>(response, 201);
}

test('POST /users/:id/personal_access_tokens makes a working token that lives a year', async () => {
  const { user } = await app.make.user();
  const made = await tokenFor(user.id, { scopes: ['api', 'read_user'], description: 'why' });
  assert.deepEqual(
    { name: made.name, scopes: made.scopes, user_id: made.user_id, expires_at: made.expires_at, active: made.active },
    { name: 'made', scopes: ['api', 'read_user'], user_id: user.id, expires_at: '2027-06-15', active: true },
  );
  expectStatus(await app.get('/version', { token: made.token }), 200);
});

test('POST /users/:id/personal_access_tokens refuses wrong parameters in the words clients compare', async () => {
  const { user } = await app.make.user();
  const refusal = async (json: object) =>
    expectStatus(await app.post(`/users/${user.id}/personal_access_tokens`, { json }), 400).message;
  assert.equal(await refusal({ name: 'x', scopes: ['api', 'bogus', 'other'] }), 'scopes does not have a valid value');
  assert.equal(await refusal({}), 'name is missing, name is empty, scopes is missing');
  assert.equal(await refusal({ name: 'x', scopes: [] }), "scopes can't be blank");
  assert.equal(await refusal({ name: 'x', scopes: ['sudo'] }), 'scopes can only contain available scopes');
  assert.equal(
    await refusal({ name: 'x', scopes: ['api'], expires_at: '2027-06-16' }),
    'expires_at must be before 2027-06-16',
  );
  assert.equal(await refusal({ name: 'x', scopes: ['api'], expires_at: 'soon' }), 'expires_at is invalid');
});

test('POST /users/:id/personal_access_tokens is for administrators and known users', async () => {
  const { user, token } = await app.make.user();
  const json = { name: 'x', scopes: ['api'] };
  expectStatus(await app.post(`/users/${user.id}/personal_access_tokens`, { token, json }), 403);
  expectStatus(await app.post(`/users/${user.id}/personal_access_tokens`, { token: null, json }), 401);
  assert.equal(
    expectStatus(await app.post('/users/99999/personal_access_tokens', { json }), 404).message,
    '404 User Not Found',
  );
  const readOnly = await app.make.token(1, ['read_api']);
  expectStatus(await app.post(`/users/${user.id}/personal_access_tokens`, { token: readOnly, json }), 403);
});

test('POST /user/personal_access_tokens gives tokens of small reach until tomorrow', async () => {
  const { user, token } = await app.make.user();
  const json = { name: 'rotator', scopes: ['self_rotate'] };
  const made = expectStatus<Token>(await app.post('/user/personal_access_tokens', { token, json }), 201);
  assert.deepEqual([made.user_id, made.expires_at], [user.id, '2026-06-16']);
  expectStatus(await app.get('/version', { token: made.token! }), 403);
  const refused = await app.post('/user/personal_access_tokens', { token, json: { name: 'x', scopes: ['api'] } });
  assert.equal(expectStatus(refused, 400).message, 'scopes does not have a valid value');
});

test('GET /personal_access_tokens shows people their own tokens, administrators those of everyone', async () => {
  const a = await app.make.user();
  const b = await app.make.user();
  const mine = expectStatus<Token[]>(await app.get('/personal_access_tokens', { token: a.token }), 200);
  assert.deepEqual(new Set(mine.map(({ user_id }) => user_id)), new Set([a.user.id]));
  const all = expectStatus<Token[]>(await app.get('/personal_access_tokens', { query: { per_page: 100 } }), 200);
  assert.ok([a, b].every(({ user }) => all.some(({ user_id }) => user_id === user.id)));
  const query = { user_id: b.user.id };
  assert.equal(expectStatus<Token[]>(await app.get('/personal_access_tokens', { query }), 200).length, 1);
  expectStatus(await app.get('/personal_access_tokens', { token: a.token, query }), 401);
  expectStatus(await app.get('/personal_access_tokens', { token: null }), 401);
  assert.ok(!JSON.stringify(all).includes(a.token), 'no token leaves after its creation');
});

test('GET /personal_access_tokens filters and sorts', async () => {
  const { user } = await app.make.user();
  const early = await tokenFor(user.id, { name: 'alpha', expires_at: '2026-06-20' });
  clock.advance(60_000);
  const late = await tokenFor(user.id, { name: 'beta 100%', expires_at: '2026-12-31' });
  expectStatus(await app.delete(`/personal_access_tokens/${late.id}`), 204);
  const ids = async (query: Record<string, string | boolean>) => {
    const response = await app.get('/personal_access_tokens', { query: { user_id: String(user.id), ...query } });
    return expectStatus<Token[]>(response, 200)
      .filter(({ name }) => name !== 'test')
      .map(({ id }) => id);
  };
  assert.deepEqual(await ids({ search: 'ALPH' }), [early.id]);
  assert.deepEqual(await ids({ search: '%' }), [late.id]);
  assert.deepEqual(await ids({ revoked: true }), [late.id]);
  assert.deepEqual(await ids({ state: 'active' }), [early.id]);
  assert.deepEqual(await ids({ state: 'inactive' }), [late.id]);
  assert.deepEqual(await ids({ expires_before: '2026-07-01' }), [early.id]);
  assert.deepEqual(await ids({ created_after: '2026-06-15T12:00:30Z' }), [late.id]);
  assert.deepEqual(await ids({ sort: 'name_desc' }), [late.id, early.id]);
  assert.deepEqual(await ids({ sort: 'expires_asc' }), [early.id, late.id]);
  const bad = await app.get('/personal_access_tokens', { query: { state: 'dead' } });
  assert.equal(expectStatus(bad, 400).message, 'state does not have a valid value');
});

test('GET and DELETE /personal_access_tokens/:id tell only administrators what exists', async () => {
  const a = await app.make.user();
  const b = await app.make.user();
  const own = await tokenFor(a.user.id);
  expectStatus(await app.get(`/personal_access_tokens/${own.id}`, { token: a.token }), 200);
  expectStatus(await app.get(`/personal_access_tokens/${own.id}`), 200);
  for (const id of [own.id, 999_999]) {
    expectStatus(await app.get(`/personal_access_tokens/${id}`, { token: b.token }), 401);
    expectStatus(await app.delete(`/personal_access_tokens/${id}`, { token: b.token }), 401);
    expectStatus(await app.post(`/personal_access_tokens/${id}/rotate`, { token: b.token }), 401);
  }
  assert.equal(expectStatus(await app.get('/personal_access_tokens/999999'), 404).message, '404 Not Found');
  expectStatus(await app.delete(`/personal_access_tokens/${own.id}`, { token: a.token }), 204);
  expectStatus(await app.get('/version', { token: own.token }), 401);
});

test('POST /personal_access_tokens/:id/rotate replaces a token and finds out its reuse', async () => {
  const { user, token } = await app.make.user();
  const first = await tokenFor(user.id);
  const rotate = (id: number, json: object = {}) => app.post(`/personal_access_tokens/${id}/rotate`, { token, json });
  const second = expectStatus<Token>(await rotate(first.id), 200);
  assert.equal(second.expires_at, '2026-06-22');
  expectStatus(await app.get('/version', { token: first.token }), 401);
  expectStatus(await app.get('/version', { token: second.token! }), 200);
  assert.equal(expectStatus(await rotate(first.id), 400).message, '400 Bad request - token already revoked');
  expectStatus(await app.get('/version', { token: second.token! }), 401);
  const other = await tokenFor(user.id);
  expectStatus(await rotate(other.id, { expires_at: '2030-01-01' }), 400);
  expectStatus(await app.get('/version', { token: other.token }), 200);
});

test('a token of any scope may look at itself and revoke itself', async () => {
  const { user } = await app.make.user();
  const { id, token } = await tokenFor(user.id, { scopes: ['read_registry'] });
  assert.equal(expectStatus<Token>(await app.get('/personal_access_tokens/self', { token }), 200).id, id);
  expectStatus(await app.delete('/personal_access_tokens/self', { token }), 204);
  expectStatus(await app.get('/personal_access_tokens/self', { token }), 401);
});

test('POST /personal_access_tokens/self/rotate needs api or self_rotate', async () => {
  const { user } = await app.make.user();
  const reader = await tokenFor(user.id, { scopes: ['read_api'] });
  const refused = await app.post('/personal_access_tokens/self/rotate', { token: reader.token });
  assert.equal(expectStatus(refused, 403).error, 'insufficient_scope');
  const rotator = await tokenFor(user.id, { scopes: ['self_rotate'] });
  const fresh = expectStatus<Token>(
    await app.post('/personal_access_tokens/self/rotate', { token: rotator.token }),
    200,
  );
  expectStatus(await app.get('/personal_access_tokens/self', { token: fresh.token! }), 200);
  expectStatus(await app.post('/personal_access_tokens/self/rotate', { token: rotator.token }), 401);
  expectStatus(await app.get('/personal_access_tokens/self', { token: fresh.token! }), 401);
});

test('using a revoked token elsewhere leaves its family alone', async () => {
  const { user } = await app.make.user();
  const first = await tokenFor(user.id);
  const second = expectStatus<Token>(
    await app.post('/personal_access_tokens/self/rotate', { token: first.token }),
    200,
  );
  expectStatus(await app.get('/version', { token: first.token }), 401);
  expectStatus(await app.get('/version', { token: second.token! }), 200);
});

test('GET /personal_access_tokens/self/associations lists groups and projects with levels', async () => {
  const { user, token } = await app.make.user();
  const parent = await app.make.group();
  const child = await app.make.group({ parent });
  await app.make.member({ group: parent }, user, 30);
  const inChild = await app.make.project({ namespace: child });
  const direct = await app.make.project();
  await app.make.member({ project: direct }, user, 20);
  const own = await app.make.project({ owner: user });
  await app.make.project();
  interface Answer {
    groups: { id: number; access_levels: number }[];
    projects: { id: number; access_levels: object }[];
  }
  const path = '/personal_access_tokens/self/associations';
  const response = expectStatus<Answer>(await app.get(path, { token }), 200);
  assert.deepEqual(
    response.groups.map(({ id, access_levels }) => [id, access_levels]),
    [
      [parent.id, 30],
      [child.id, 30],
    ],
  );
  assert.deepEqual(Object.fromEntries(response.projects.map(({ id, access_levels }) => [id, access_levels])), {
    [inChild.id]: { project_access_level: null, group_access_level: 30 },
    [direct.id]: { project_access_level: 20, group_access_level: null },
    [own.id]: { project_access_level: 50, group_access_level: null },
  });
  const higher = expectStatus<Answer>(await app.get(path, { token, query: { min_access_level: 40 } }), 200);
  assert.deepEqual([higher.groups.length, higher.projects.map(({ id }) => id)], [0, [own.id]]);
});

test('impersonation tokens act as the user, and only administrators see them', async () => {
  const { user, token } = await app.make.user();
  const base = `/users/${user.id}/impersonation_tokens`;
  const json = { name: 'act', scopes: ['api'], expires_at: '2026-07-01' };
  const made = expectStatus<Token & { impersonation: boolean }>(await app.post(base, { json }), 201);
  assert.deepEqual([made.impersonation, made.user_id, made.expires_at], [true, user.id, '2026-07-01']);
  expectStatus(await app.get('/version', { token: made.token! }), 200);
  expectStatus(await app.get(`${base}/${made.id}`), 200);
  for (const request of [app.get(base, { token }), app.post(base, { token, json }), app.get(`${base}/1`, { token })]) {
    expectStatus(await request, 403);
  }
  expectStatus(await app.get(`/personal_access_tokens/${made.id}`, { token }), 401);
  const listed = expectStatus<Token[]>(await app.get('/personal_access_tokens', { token }), 200);
  assert.ok(!listed.some(({ id }) => id === made.id));
  expectStatus(await app.delete(`${base}/${made.id}`), 204);
  expectStatus(await app.get('/version', { token: made.token! }), 401);
  const inactive = expectStatus<Token[]>(await app.get(base, { query: { state: 'inactive' } }), 200);
  assert.deepEqual(
    inactive.map(({ id }) => id),
    [made.id],
  );
  assert.equal(expectStatus<Token[]>(await app.get(base, { query: { state: 'active' } }), 200).length, 0);
  const missing = expectStatus(await app.get(`/users/1/impersonation_tokens/${made.id}`), 404);
  assert.equal(missing.message, '404 Impersonation Token Not Found');
  expectStatus(await app.get('/users/99999/impersonation_tokens'), 404);
});

test('an expired token is refused with the words of the token error', async () => {
  const { user } = await app.make.user();
  const { token } = await tokenFor(user.id, { expires_at: '2026-06-15' });
  const body = expectStatus(await app.get('/version', { token }), 401);
  assert.equal(body.error, 'invalid_token');
  assert.equal(body.error_description, 'Token is expired. You can either do re-authorization or token refresh.');
  assert.notEqual(token, ROOT_TOKEN);
});
