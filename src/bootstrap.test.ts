import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, ROOT_TOKEN } from '../test/support/app.ts';
import { bootstrap } from './bootstrap.ts';

const skip = !process.env.STITHY_TEST_POSTGRES && 'SQLite gives ids back with the transaction';

test('a start after one that was killed while it created the administrator succeeds', { skip }, async (t) => {
  const app = await buildTestApp();
  t.after(() => app.close());
  const { db, config } = app.deps;
  // As a transaction that was rolled back leaves it: no rows, the id used.
  await sql`truncate users, instance_values cascade`.execute(db);
  const rooted = { ...app.deps, config: { ...config, rootToken: ROOT_TOKEN } };
  assert.equal(await bootstrap(rooted), true);
  const users = await db.selectFrom('users').select(['id', 'username']).execute();
  assert.deepEqual(users, [{ id: 1, username: 'root' }]);
  const token = await db.selectFrom('access_tokens').select('user_id').executeTakeFirstOrThrow();
  assert.equal(token.user_id, 1);
  assert.ok((await app.make.user()).user.id > 1);
  assert.equal(await bootstrap(rooted), false);
});
