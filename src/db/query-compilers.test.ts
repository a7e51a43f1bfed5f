import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('nothing is in an empty list, and everything is not in it', async () => {
  const users = app.deps.db.selectFrom('users').select('id');
  assert.deepEqual(await users.where('id', 'in', []).execute(), []);
  assert.deepEqual(await users.where('username', 'in', []).execute(), []);
  assert.ok((await users.where('id', 'not in', []).execute()).length > 0);
  const ids = async (query: typeof users) => (await query.execute()).map(({ id }) => id);
  assert.deepEqual(await ids(users.where((eb) => eb.or([eb('id', 'in', []), eb('id', '=', 1)]))), [1]);
  assert.deepEqual(await ids(users.where((eb) => eb.not(eb('id', 'in', []))).where('id', '=', 1)), [1]);
});
