import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { hashPassword } from '../../../core/core.secrets.ts';
import type { User } from '../../../db/tables/users.table.ts';

interface Grant {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  created_at: number;
}
interface Application {
  id: number;
  application_id: string;
  secret: string;
  confidential: boolean;
}

const PASSWORD = 'correct horse';
const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

async function person(columns: object = {}): Promise<User> {
  const password_hash = await hashPassword(PASSWORD, app.deps.config.passwordHash);
  return (await app.make.user({ columns: { password_hash, ...columns } })).user;
}
const token = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.post('/oauth/token', { token: null, form: new URLSearchParams(form).toString(), headers });
const signIn = async (user: User, more: Record<string, string> = {}) =>
  expectStatus<Grant>(
    await token({ grant_type: 'password', username: user.username, password: PASSWORD, ...more }),
    200,
  );
const bearer = (grant: { access_token: string }) => ({
  token: null,
  headers: { authorization: `Bearer ${grant.access_token}` },
});
const register = async (json: object = {}) =>
  expectStatus<Application>(
    await app.post('/applications', {
      json: { name: 'My App', redirect_uri: 'https://example.org/back', scopes: 'api read_user', ...json },
    }),
    201,
  );
const refusal = async (form: Record<string, string>, status = 400) => expectStatus(await token(form), status).error;

test('a user name and password get a pair of tokens that works for two hours', async () => {
  const user = await person();
  const response = await token({ grant_type: 'password', username: user.username, password: PASSWORD });
  const grant = expectStatus<Grant>(response, 200);
  assert.equal(response.headers['cache-control'], 'no-store');
  assert.deepEqual(
    [grant.token_type, grant.expires_in, grant.scope, grant.created_at],
    ['Bearer', 7200, 'api', clock.now().getTime() / 1000],
  );
  assert.equal(expectStatus(await app.get('/user', bearer(grant)), 200).id, user.id);
  expectStatus(await app.get('/user', { token: null, query: { access_token: grant.access_token } }), 200);
  const stored = JSON.stringify(await app.deps.db.selectFrom('oauth_tokens').selectAll().execute());
  assert.ok(!stored.includes(grant.access_token) && !stored.includes(grant.refresh_token));
  clock.advance(7_200_000);
  expectStatus(await app.get('/user', bearer(grant)), 401);
});

test('JSON and an e-mail address do as well, and the sign-in is noted', async () => {
  const user = await person();
  const json = { grant_type: 'password', username: user.email, password: PASSWORD, scope: 'read_user' };
  const grant = expectStatus<Grant>(await app.post('/oauth/token', { token: null, json }), 200);
  assert.equal(grant.scope, 'read_user');
  const own = expectStatus(await app.get('/user', bearer(grant)), 200);
  assert.equal(own.current_sign_in_at, clock.now().toISOString());
  assert.ok(!('current_sign_in_ip' in own));
  const seen = async () => {
    const { current_sign_in_ip, last_sign_in_ip } = expectStatus(await app.get(`/users/${user.id}`), 200);
    return [current_sign_in_ip, last_sign_in_ip];
  };
  assert.deepEqual(await seen(), ['127.0.0.1', null]);
  assert.equal(expectStatus(await app.get('/version', bearer(await signIn(user))), 200).version !== '', true);
  assert.deepEqual(await seen(), ['127.0.0.1', '127.0.0.1']);
  expectStatus(await app.post('/user/keys', { ...bearer(grant), json: {} }), 403);
});

test('wrong passwords, unknown and blocked users get one and the same answer', async () => {
  const user = await person();
  const blocked = await person({ state: 'blocked' });
  const bodies = [];
  for (const [username, password] of [
    [user.username, 'wrong horse'],
    ['nobody-of-this-name', PASSWORD],
    [blocked.username, PASSWORD],
  ] as const) {
    bodies.push((await token({ grant_type: 'password', username, password })).body);
  }
  assert.equal(new Set(bodies).size, 1);
  const { error, error_description, message } = JSON.parse(bodies[0]!) as Record<string, string>;
  assert.equal(error, 'invalid_grant');
  assert.match(error_description!, /^The provided authorization grant is invalid, expired, revoked/);
  assert.equal(message, error_description);
});

test('ten failures lock the name for ten minutes', async () => {
  const user = await person();
  const attempt = (password: string) => token({ grant_type: 'password', username: user.username, password });
  for (let n = 0; n < 10; n += 1) expectStatus(await attempt('wrong horse'), 400);
  const locked = await attempt(PASSWORD);
  expectStatus(locked, 429);
  assert.equal(locked.headers['retry-after'], '600');
  clock.advance(600_000);
  expectStatus(await attempt(PASSWORD), 200);
});

test('grants that are none are refused in the words of OAuth', async () => {
  assert.equal(await refusal({}), 'invalid_request');
  assert.equal(await refusal({ grant_type: 'client_credentials' }), 'unsupported_grant_type');
  assert.equal(await refusal({ grant_type: 'authorization_code', code: 'x' }), 'unsupported_grant_type');
  assert.equal(await refusal({ grant_type: 'password', username: 'x' }), 'invalid_request');
  assert.equal(await refusal({ grant_type: 'refresh_token' }), 'invalid_request');
  assert.equal(await refusal({ grant_type: 'refresh_token', refresh_token: 'unknown' }), 'invalid_grant');
  const user = await person();
  const form = { grant_type: 'password', username: user.username, password: PASSWORD };
  assert.equal(await refusal({ ...form, scope: 'everything' }), 'invalid_scope');
});

test('a refresh token works once and ends the pair it belongs to', async () => {
  const user = await person();
  const old = await signIn(user, { scope: 'read_user read_api' });
  const form = { grant_type: 'refresh_token', refresh_token: old.refresh_token };
  const fresh = expectStatus<Grant>(await token(form), 200);
  assert.equal(fresh.scope, 'read_user read_api');
  expectStatus(await app.get('/user', bearer(old)), 401);
  expectStatus(await app.get('/user', bearer(fresh)), 200);
  assert.equal(await refusal(form), 'invalid_grant');
  const both = { grant_type: 'refresh_token', refresh_token: fresh.refresh_token };
  const answers = await Promise.all([token(both), token(both)]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 400]);
  const blocked = await signIn(user);
  await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute();
  assert.equal(await refusal({ grant_type: 'refresh_token', refresh_token: blocked.refresh_token }), 'invalid_grant');
});

test('a client must prove who it is, and keeps its tokens to itself', async () => {
  const user = await person();
  const mine = await register();
  const other = await register();
  const form = { grant_type: 'password', username: user.username, password: PASSWORD };
  const client = { client_id: mine.application_id, client_secret: mine.secret };
  assert.equal(await refusal({ ...form, client_id: mine.application_id }, 401), 'invalid_client');
  assert.equal(await refusal({ ...form, ...client, client_secret: 'guess' }, 401), 'invalid_client');
  assert.equal(await refusal({ ...form, client_id: 'unknown', client_secret: 'x' }, 401), 'invalid_client');
  const authorization = `Basic ${Buffer.from(`${mine.application_id}:${mine.secret}`).toString('base64')}`;
  const grant = expectStatus<Grant>(await token(form, { authorization }), 200);
  assert.equal(await refusal({ ...form, ...client, scope: 'sudo' }), 'invalid_scope');
  const refresh = { grant_type: 'refresh_token', refresh_token: grant.refresh_token };
  assert.equal(await refusal(refresh), 'invalid_grant');
  const stranger = { client_id: other.application_id, client_secret: other.secret };
  assert.equal(await refusal({ ...refresh, ...stranger }), 'invalid_grant');
  expectStatus(await token({ ...refresh, ...client }), 200);
});

test('administrators may be kept from giving applications far-reaching scopes', async (t) => {
  t.after(() => resetSettings(app));
  const { application_id: client_id, secret: client_secret } = await register();
  const client = { client_id, client_secret };
  const [admin, other] = [await person({ admin: 1 }), await person()];
  await signIn(admin, client);
  await changeSettings(app, { disable_admin_oauth_scopes: true });
  const form = { grant_type: 'password', username: admin.username, password: PASSWORD };
  for (const scope of ['api', 'api read_user', '']) {
    assert.equal(await refusal({ ...form, ...client, scope }), 'invalid_scope');
  }
  await signIn(admin, { ...client, scope: 'read_user' });
  // No application gets these.
  await signIn(admin);
  await signIn(other, client);
});

test('a client whose id has a null byte is unknown', async () => {
  const user = await person();
  const form = { grant_type: 'password', username: user.username, password: PASSWORD };
  const authorization = `Basic ${Buffer.from('a\0b:secret').toString('base64')}`;
  assert.equal(expectStatus(await token(form, { authorization }), 401).error, 'invalid_client');
});

test('a public client needs no secret', async () => {
  const user = await person();
  const open = await register({ confidential: false });
  const grant = await signIn(user, { client_id: open.application_id });
  const info = expectStatus(await app.get('/oauth/token/info', bearer(grant)), 200);
  assert.deepEqual(info.application, { uid: open.application_id });
});

test('GET /oauth/token/info describes an OAuth token of any scope, and nothing else', async () => {
  const user = await person();
  const grant = await signIn(user, { scope: 'read_registry' });
  clock.advance(60_000);
  const info = expectStatus(await app.get('/oauth/token/info', bearer(grant)), 200);
  assert.deepEqual(info, {
    resource_owner_id: user.id,
    scope: ['read_registry'],
    expires_in: 7140,
    application: { uid: null },
    created_at: grant.created_at,
    scopes: ['read_registry'],
    expires_in_seconds: 7140,
  });
  assert.equal(expectStatus(await app.get('/oauth/token/info'), 401).error, 'invalid_token');
  expectStatus(await app.get('/oauth/token/info', { token: null }), 401);
});

test('POST /oauth/revoke ends a pair by either token, for its own client only', async () => {
  const user = await person();
  const revoke = (form: Record<string, string>) =>
    app.post('/oauth/revoke', { token: null, form: new URLSearchParams(form).toString() });
  for (const which of ['access_token', 'refresh_token'] as const) {
    const grant = await signIn(user);
    assert.deepEqual(expectStatus(await revoke({ token: grant[which] }), 200), {});
    expectStatus(await app.get('/user', bearer(grant)), 401);
    assert.equal(await refusal({ grant_type: 'refresh_token', refresh_token: grant.refresh_token }), 'invalid_grant');
  }
  expectStatus(await revoke({ token: 'unknown' }), 200);
  expectStatus(await revoke({}), 400);
  const mine = await register();
  const client = { client_id: mine.application_id, client_secret: mine.secret };
  const grant = await signIn(user, client);
  assert.equal(expectStatus(await revoke({ token: grant.access_token }), 403).error, 'unauthorized_client');
  expectStatus(await app.get('/user', bearer(grant)), 200);
  expectStatus(await revoke({ token: grant.access_token, ...client }), 200);
  expectStatus(await app.get('/user', bearer(grant)), 401);
});

test('administrators make, list, renew and delete applications', async () => {
  const made = await register();
  assert.match(made.application_id, /^[0-9a-f]{64}$/);
  assert.equal(made.confidential, true);
  const listed = expectStatus<Application[]>(await app.get('/applications'), 200);
  const shown = listed.find(({ id }) => id === made.id);
  assert.ok(shown !== undefined && !('secret' in shown));
  const renewed = expectStatus<Application>(await app.post(`/applications/${made.id}/renew-secret`), 201);
  assert.notEqual(renewed.secret, made.secret);
  const user = await person();
  const form = { grant_type: 'password', username: user.username, password: PASSWORD, client_id: made.application_id };
  assert.equal(await refusal({ ...form, client_secret: made.secret }, 401), 'invalid_client');
  const grant = expectStatus<Grant>(await token({ ...form, client_secret: renewed.secret }), 200);
  expectStatus(await app.delete(`/applications/${made.id}`), 204);
  expectStatus(await app.get('/user', bearer(grant)), 401);
  assert.equal(expectStatus(await app.delete(`/applications/${made.id}`), 404).message, '404 Application Not Found');
  expectStatus(await app.post(`/applications/${made.id}/renew-secret`), 404);
});

test('applications are for administrators and must make sense', async () => {
  const { token: plain } = await app.make.user();
  const json = { name: 'x', redirect_uri: 'https://example.org', scopes: 'api' };
  expectStatus(await app.get('/applications', { token: plain }), 403);
  expectStatus(await app.post('/applications', { token: plain, json }), 403);
  expectStatus(await app.get('/applications', { token: null }), 401);
  const refused = async (changes: object) =>
    expectStatus(await app.post('/applications', { json: { ...json, ...changes } }), 400).message;
  assert.equal(await refused({ redirect_uri: 'not absolute' }), 'redirect_uri must be an absolute URI.');
  assert.equal(await refused({ redirect_uri: 'javascript:alert(1)' }), 'redirect_uri is forbidden by the server.');
  assert.equal(await refused({ scopes: 'api bogus' }), "scopes doesn't match configured on the server.");
  assert.equal(await refused({ name: '' }), 'name is empty');
});

test('secrets in the query of a sign-in do not reach the log', async () => {
  const user = await person();
  const query = { grant_type: 'password', username: user.username, password: PASSWORD };
  const grant = expectStatus<Grant>(await app.post('/oauth/token', { token: null, query }), 200);
  const refresh = { grant_type: 'refresh_token', refresh_token: grant.refresh_token };
  expectStatus(await app.post('/oauth/token', { token: null, query: refresh }), 200);
  // Lines are written in batches; an error writes them at once.
  app.deps.log.log('error', 'end of the test');
  const text = app.logLines.join('');
  assert.ok(text.includes('/oauth/token?'));
  assert.ok(!/correct.horse/.test(text) && !text.includes(grant.refresh_token));
});
