import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import type { Db } from './db.schema.ts';
import { afterCommit, inTransaction } from './transactions.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('a transaction that was chosen to break a deadlock begins again', async (t) => {
  const { db, config } = app.deps;
  if (config.database.kind === 'sqlite') return t.skip('SQLite has one writer at a time');
  const put = (key: string) => db.insertInto('instance_values').values({ key, value: '0' }).execute();
  await put('deadlock-a');
  await put('deadlock-b');
  let runs = 0;
  const touch = async (first: string, second: string) => {
    await db.transaction().execute(async (db) => {
      runs += 1;
      for (const key of [first, second]) {
        await db
          .updateTable('instance_values')
          .set((eb) => ({ value: eb.ref('key') }))
          .where('key', '=', key)
          .execute();
        // Both have written their first row by then.
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    });
  };
  await Promise.all([touch('deadlock-a', 'deadlock-b'), touch('deadlock-b', 'deadlock-a')]);
  assert.ok(runs >= 3, `${runs} runs`);
});

test('what follows a transaction happens once, when it has committed, and not at all when it is undone', async () => {
  const { db } = app.deps;
  const seen: (string | undefined)[] = [];
  const read = () => seen.push('done');
  await db.transaction().execute(async (db) => {
    afterCommit(db, read);
    afterCommit(db, read);
    assert.deepEqual(seen, []);
  });
  assert.deepEqual(seen, ['done']);
  const failing = db.transaction().execute(async (db) => {
    afterCommit(db, read);
    throw new Error('undone');
  });
  await assert.rejects(failing, /undone/);
  assert.deepEqual(seen, ['done']);
  afterCommit(db, read);
  assert.equal(seen.length, 2);
});

test('work in a transaction that fails is undone alone; without one it has a transaction of its own', async () => {
  const { db } = app.deps;
  const put = (db: Db, key: string) => db.insertInto('instance_values').values({ key, value: '0' }).execute();
  await db.transaction().execute(async (outer) => {
    await put(outer, 'part-kept');
    await inTransaction(outer, (db) => inTransaction(db, (db) => put(db, 'part-inner')));
    await assert.rejects(
      inTransaction(outer, async (db) => {
        await put(db, 'part-undone');
        await put(db, 'part-kept');
      }),
    );
    await put(outer, 'part-after');
  });
  await assert.rejects(
    inTransaction(db, async (db) => {
      await put(db, 'part-alone');
      throw new Error('undone');
    }),
    /undone/,
  );
  const rows = await db
    .selectFrom('instance_values')
    .select('key')
    .where('key', 'like', 'part-%')
    .orderBy('key')
    .execute();
  assert.deepEqual(
    rows.map(({ key }) => key),
    ['part-after', 'part-inner', 'part-kept'],
  );
});
