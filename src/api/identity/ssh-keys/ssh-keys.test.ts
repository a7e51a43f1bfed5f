import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { timestamp } from '../../../core/clock.ts';

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB8+R37olnXByZW43xVaNUAmO5bHhL31msTobcd7UKxw ed25519 of ada';
const SHA256 = 'SHA256:Z5oz8MIrTF71FmDfsJvbzj/NjrHFZnVv0fhn1kWh40s';
const MD5 = 'c5:3e:b2:97:34:2f:30:a9:87:5d:24:a6:54:04:a6:db';
const ECDSA =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJI/a1pHtoteW7lqA+U/qnw1f0dFpbEGyPeAoruQwmn23y4x34LxyWEfERcRdpxGxIalH9Uj2juhIu1J+URDJks= ecdsa';

interface Key {
  id: number;
  title: string;
  key: string;
  usage_type: string;
  expires_at: string | null;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

test('a user adds, reads and removes keys of their own', async () => {
  const { user, token } = await app.make.user();
  const json = { title: 'laptop', key: `  ${ECDSA}\n`, expires_at: '2027-01-01' };
  const made = expectStatus<Key>(await app.post('/user/keys', { token, json }), 201);
  assert.deepEqual(
    [made.title, made.key, made.usage_type, made.expires_at],
    ['laptop', ECDSA, 'auth_and_signing', '2027-01-01T00:00:00.000Z'],
  );
  assert.equal(expectStatus<Key>(await app.get(`/user/keys/${made.id}`, { token }), 200).id, made.id);
  assert.equal(expectStatus<Key[]>(await app.get('/user/keys', { token }), 200).length, 1);
  for (const who of [String(user.id), user.username]) {
    const listed = expectStatus<Key[]>(await app.get(`/users/${who}/keys`, { token: null }), 200);
    assert.deepEqual(
      listed.map(({ id }) => id),
      [made.id],
    );
    expectStatus(await app.get(`/users/${who}/keys/${made.id}`, { token: null }), 200);
  }
  const other = await app.make.user();
  assert.equal(
    expectStatus(await app.get(`/user/keys/${made.id}`, { token: other.token }), 404).message,
    '404 Key Not Found',
  );
  expectStatus(await app.delete(`/user/keys/${made.id}`, { token: other.token }), 404);
  expectStatus(await app.delete(`/user/keys/${made.id}`, { token }), 204);
  expectStatus(await app.delete(`/user/keys/${made.id}`, { token }), 404);
  const events = await app.deps.db.selectFrom('domain_events').select('type').where('actor_id', '=', user.id).execute();
  assert.deepEqual(
    events.map(({ type }) => type),
    ['key.created', 'key.destroyed'],
  );
});

test('administrators manage the keys of others and find them by fingerprint', async () => {
  const { user, token } = await app.make.user();
  const json = { title: 'desk', key: ED25519, usage_type: 'signing' };
  const made = expectStatus<Key>(await app.post(`/users/${user.id}/keys`, { json }), 201);
  expectStatus(await app.post(`/users/${user.id}/keys`, { token, json }), 403);
  expectStatus(await app.post('/users/99999/keys', { json }), 404);
  for (const fingerprint of [SHA256, `${SHA256}=`, MD5, `MD5:${MD5.toUpperCase()}`]) {
    const key = expectStatus<Key & { user: { id: number } }>(await app.get('/keys', { query: { fingerprint } }), 200);
    assert.deepEqual([key.id, key.user.id], [made.id, user.id]);
  }
  expectStatus(await app.get(`/keys/${made.id}`), 200);
  for (const path of [`/keys/${made.id}`, '/keys']) {
    expectStatus(await app.get(path, { token, query: { fingerprint: SHA256 } }), 403);
    expectStatus(await app.get(path, { token: null, query: { fingerprint: SHA256 } }), 401);
  }
  const unknown = `SHA256:${'A'.repeat(43)}`;
  assert.equal(
    expectStatus(await app.get('/keys', { query: { fingerprint: unknown } }), 404).message,
    '404 Key Not Found',
  );
  expectStatus(await app.get('/keys', { query: { fingerprint: 'nonsense' } }), 400);
  expectStatus(await app.delete(`/users/${user.id}/keys/${made.id}`, { token }), 403);
  expectStatus(await app.delete(`/users/${user.id}/keys/${made.id}`), 204);
  expectStatus(await app.get(`/keys/${made.id}`), 404);
});

test('a key belongs to one user, and is no deploy key', async () => {
  const { token } = await app.make.user();
  const { user } = await app.make.user();
  const add = (key: string) => app.post('/user/keys', { token, json: { title: 'x', key } });
  expectStatus(await app.post(`/users/${user.id}/keys`, { json: { title: 'x', key: ECDSA } }), 201);
  assert.equal(expectStatus(await add(ECDSA), 400).message, 'fingerprint_sha256 has already been taken');
  await app.deps.db
    .insertInto('deploy_keys')
    .values({ title: 'deploy', key: ED25519, fingerprint: SHA256, created_at: timestamp(clock) })
    .execute();
  assert.equal(expectStatus(await add(ED25519), 400).message, 'fingerprint_sha256 has already been taken');
  const ownerlessKey = expectStatus(await app.get('/keys', { query: { fingerprint: SHA256 } }), 200);
  assert.deepEqual([ownerlessKey.user, ownerlessKey.deploy_keys_projects], [null, []]);
});

test('what is no key, or no use any more, is refused', async () => {
  const { token } = await app.make.user();
  const refusal = async (json: object) => expectStatus(await app.post('/user/keys', { token, json }), 400).message;
  assert.equal(await refusal({ title: 'x', key: 'not a key' }), 'key is invalid');
  assert.equal(await refusal({ title: 'x', key: `${ED25519}\n${ECDSA}` }), 'key is invalid');
  assert.equal(await refusal({ title: 'x', key: ED25519, expires_at: '2020-01-01' }), 'key has expired');
  assert.equal(await refusal({ key: ED25519 }), 'title is missing, title is empty');
  assert.equal(
    await refusal({ title: 'x', key: ED25519, usage_type: 'none' }),
    'usage_type does not have a valid value',
  );
  const reader = await app.make.token(1, ['read_user']);
  expectStatus(await app.get('/user/keys', { token: reader }), 200);
  expectStatus(await app.post('/user/keys', { token: reader, json: { title: 'x', key: ED25519 } }), 403);
  expectStatus(await app.get('/user/keys', { token: null }), 401);
});
