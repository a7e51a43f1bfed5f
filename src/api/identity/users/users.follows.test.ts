import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const ids = async (path: string, token: string) =>
  expectStatus<Json[]>(await app.get(path, { token }), 200).map(({ id }) => id);

test('users follow each other, are listed and counted, and stop', async () => {
  const [ana, ben, eve] = [await app.make.user(), await app.make.user(), await app.make.user()];
  const of = ({ user }: typeof ana, what: string) => `/users/${user.id}/${what}`;
  const followed = expectStatus<Json>(await app.post(of(ben, 'follow'), { token: ana.token }), 201);
  assert.deepEqual([followed.id, followed.username], [ben.user.id, ben.user.username]);
  assert.equal((await app.post(of(ben, 'follow'), { token: ana.token })).statusCode, 304);
  assert.equal((await app.post(of(ana, 'follow'), { token: ana.token })).statusCode, 304);
  expectStatus(await app.post(of(ben, 'follow'), { token: eve.token }), 201);
  assert.deepEqual(await ids(of(ben, 'followers'), eve.token), [eve.user.id, ana.user.id]);
  assert.deepEqual(await ids(of(ana, 'following'), eve.token), [ben.user.id]);
  const seen = async (token?: string) => {
    const shown = expectStatus<Json>(await app.get(of(ben, ''), token === undefined ? {} : { token }), 200);
    return [shown.followers, shown.following, shown.is_followed];
  };
  assert.deepEqual(await seen(ana.token), [2, 0, true]);
  assert.deepEqual(await seen(ben.token), [2, 0, false]);
  assert.deepEqual(await seen(), [2, 0, false]);
  const self = expectStatus<Json>(await app.get('/user', { token: ana.token }), 200);
  assert.deepEqual([self.followers, self.following], [0, 1]);
  expectStatus(await app.post(of(ben, 'unfollow'), { token: ana.token }), 201);
  assert.equal((await app.post(of(ben, 'unfollow'), { token: ana.token })).statusCode, 304);
  assert.deepEqual(await ids(of(ben, 'followers'), ana.token), [eve.user.id]);
  expectStatus(await app.post('/users/999999/follow', { token: ana.token }), 404);
  expectStatus(await app.post('/users/999999/unfollow', { token: ana.token }), 404);
  expectStatus(await app.post(of(ben, 'follow'), { token: null }), 401);
  expectStatus(await app.get(of(ben, 'followers'), { token: null }), 401);
});

test('a private profile shows its followers to its user and administrators only', async () => {
  const hidden = await app.make.user({ columns: { private_profile: 1 } });
  const other = await app.make.user();
  for (const list of ['followers', 'following']) {
    const path = `/users/${hidden.user.id}/${list}`;
    expectStatus(await app.get(path, { token: other.token }), 404);
    expectStatus(await app.get(path, { token: hidden.token }), 200);
    expectStatus(await app.get(path), 200);
  }
});

test('nobody follows more than 300 users', async () => {
  const { user, token } = await app.make.user();
  const now = new Date().toISOString();
  const email = (n: number) => `followed-${n}@example.org`;
  const rows = Array.from({ length: 301 }, (_, n) => ({
    username: `followed-${n}`,
    name: `Followed ${n}`,
    email: email(n),
    created_at: now,
    updated_at: now,
  }));
  const made = await app.deps.db.insertInto('users').values(rows).returning('id').execute();
  const follows = made.slice(1).map(({ id }) => ({ follower_id: user.id, followed_id: id, created_at: now }));
  await app.deps.db.insertInto('user_follows').values(follows).execute();
  const refused = await app.post(`/users/${made[0]!.id}/follow`, { token });
  assert.match(String(expectStatus<Json>(refused, 400).message), /more than 300 users/);
  assert.equal((await app.post(`/users/${made[1]!.id}/follow`, { token })).statusCode, 304);
});

test('nor when several are followed at once', async () => {
  const { user, token } = await app.make.user();
  const now = new Date().toISOString();
  const rows = Array.from({ length: 305 }, (_, n) => ({
    username: `at-once-${n}`,
    name: `At once ${n}`,
    email: `at-once-${n}@example.org`,
    created_at: now,
    updated_at: now,
  }));
  const made = await app.deps.db.insertInto('users').values(rows).returning('id').execute();
  const follows = made.slice(6).map(({ id }) => ({ follower_id: user.id, followed_id: id, created_at: now }));
  await app.deps.db.insertInto('user_follows').values(follows).execute();
  const answers = await Promise.all(made.slice(0, 6).map(({ id }) => app.post(`/users/${id}/follow`, { token })));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400, 400]);
});
