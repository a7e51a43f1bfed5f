import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

interface Email {
  id: number;
  email: string;
  confirmed_at: string | null;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('a user adds, reads and removes further addresses', async () => {
  const { user, token } = await app.make.user();
  const json = { email: 'second@example.org' };
  const made = expectStatus<Email>(await app.post('/user/emails', { token, json }), 201);
  assert.deepEqual([made.email, made.confirmed_at], ['second@example.org', null]);
  const listed = expectStatus<Email[]>(await app.get('/user/emails', { token }), 200);
  assert.deepEqual(listed, [made]);
  assert.deepEqual(expectStatus<Email>(await app.get(`/user/emails/${made.id}`, { token }), 200), made);
  assert.deepEqual(expectStatus<Email[]>(await app.get(`/users/${user.id}/emails`), 200), [made]);
  const other = await app.make.user();
  assert.equal(
    expectStatus(await app.get(`/user/emails/${made.id}`, { token: other.token }), 404).message,
    '404 Email Not Found',
  );
  expectStatus(await app.delete(`/user/emails/${made.id}`, { token: other.token }), 404);
  expectStatus(await app.delete(`/user/emails/${made.id}`, { token }), 204);
  expectStatus(await app.get('/user/emails', { token: null }), 401);
});

test('an address belongs to one user, be it first or further, whatever its case', async () => {
  const a = await app.make.user();
  const b = await app.make.user();
  const add = async (email: string, status: number) =>
    expectStatus(await app.post('/user/emails', { token: a.token, json: { email } }), status).message;
  assert.equal(await add(b.user.email.toUpperCase(), 400), 'email has already been taken');
  assert.equal(await add(a.user.email, 400), 'email has already been taken');
  await add('mine@example.org', 201);
  assert.equal(await add('MINE@example.org', 400), 'email has already been taken');
  assert.equal(await add('not an address', 400), 'email is invalid');
  const json = { email: 'mine@example.org', name: 'x', username: 'wants-it', password: 'correct horse' };
  expectStatus(await app.post('/users', { json }), 409);
});

test('administrators add confirmed addresses, and only they manage those of others', async () => {
  const { user, token } = await app.make.user();
  const path = `/users/${user.id}/emails`;
  const json = { email: 'confirmed@example.org', skip_confirmation: true };
  const made = expectStatus<Email>(await app.post(path, { json }), 201);
  assert.notEqual(made.confirmed_at, null);
  const shown = await app.put(`/users/${user.id}`, { json: { public_email: made.email, commit_email: made.email } });
  assert.equal(expectStatus(shown, 200).public_email, made.email);
  expectStatus(await app.get(path, { token }), 403);
  expectStatus(await app.post(path, { token, json: { email: 'x@example.org' } }), 403);
  expectStatus(await app.delete(`${path}/${made.id}`, { token }), 403);
  expectStatus(await app.delete(`/users/1/emails/${made.id}`), 404);
  expectStatus(await app.delete(`${path}/${made.id}`), 204);
  const after = expectStatus(await app.get(`/users/${user.id}`), 200);
  assert.deepEqual([after.public_email, after.commit_email], [null, user.email]);
  expectStatus(await app.get('/users/99999/emails'), 404);
});

test('an address that nobody confirmed is not shown as one of the user', async () => {
  const { user, token } = await app.make.user();
  expectStatus(await app.post('/user/emails', { token, json: { email: 'victim@example.org' } }), 201);
  const refused = await app.put(`/users/${user.id}`, { json: { commit_email: 'victim@example.org' } });
  assert.equal(expectStatus(refused, 400).message, 'commit_email is not an email you own');
});
