import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import type { Db } from './db.schema.ts';
import { type Columns, columnsOf, prepared, rowsOf } from './prepared.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('a prepared query is built once, and gives the rows of the values of each call', async () => {
  let built = 0;
  const byKeys = prepared((db, { keys, least }: { keys: readonly string[]; least: string }) => {
    built += 1;
    return db
      .selectFrom('instance_values')
      .select(['key', 'value'])
      .where('key', 'in', keys)
      .where('value', '>=', least)
      .orderBy('key');
  });
  const put = prepared((db, row: { key: string; value: string }) => db.insertInto('instance_values').values(row));
  const { db } = app.deps;
  for (const [key, value] of Object.entries({ 'p-a': '1', 'p-b': '2', 'p-c': '3' })) await put(db, { key, value });
  const keys = async (values: { keys: readonly string[]; least: string }, handle = db) =>
    (await byKeys(handle, values)).map(({ key }) => key);
  assert.deepEqual(await keys({ keys: ['p-a', 'p-b'], least: '1' }), ['p-a', 'p-b']);
  assert.deepEqual(await keys({ keys: ['p-a', 'p-c'], least: '2' }), ['p-c']);
  assert.equal(built, 1);
  // Lists of another length make another text; an empty list works, and twenty texts are kept.
  assert.deepEqual(await keys({ keys: ['p-a', 'p-b', 'p-c'], least: '2' }), ['p-b', 'p-c']);
  assert.deepEqual(await keys({ keys: [], least: '1' }), []);
  assert.equal(built, 3);
  for (let length = 1; length <= 30; length += 1) {
    assert.deepEqual(await keys({ keys: Array.from({ length }, () => 'p-a'), least: '1' }), ['p-a']);
  }
  const before = built;
  assert.deepEqual(await keys({ keys: ['p-a', 'p-b'], least: '1' }), ['p-a', 'p-b']);
  assert.equal(built, before);
});

test('rows with other columns make another text', async () => {
  const { db } = app.deps;
  interface Row {
    key: string;
    value: string;
    updated_at?: string;
  }
  const put = prepared((db, row: Row) => db.insertInto('instance_values').values(row).returning('updated_at'));
  const putAll = prepared((db, rows: Columns<Row>) =>
    db.insertInto('instance_values').values(rowsOf(rows)).returning('updated_at'),
  );
  const then = '2026-01-31T09:05:00.123Z';
  for (const write of [put, (handle: Db, row: Row) => putAll(handle, columnsOf([row]))]) {
    const written = async (columns: Partial<Row>) =>
      (await write(db, { key: randomUUID(), value: '5', ...columns })).map(({ updated_at }) => updated_at);
    assert.deepEqual(await written({}), ['']);
    assert.deepEqual(await written({ updated_at: then }), [then]);
    assert.deepEqual(await written({}), ['']);
  }
});

test('a prepared query runs in the transaction whose handle it is given, and is undone with it', async () => {
  const { db } = app.deps;
  const put = prepared((db, row: { key: string; value: string }) => db.insertInto('instance_values').values(row));
  const find = prepared(
    (_, { key }: { key: string }) => sql<{ value: string }>`select value from instance_values where key = ${key}`,
  );
  const undone = db.transaction().execute(async (db) => {
    await put(db, { key: 'p-d', value: '4' });
    assert.equal((await find(db, { key: 'p-d' }))[0]?.value, '4');
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  assert.deepEqual(await find(db, { key: 'p-d' }), []);
});

test('a prepared query refuses the handle of a transaction that has ended', async () => {
  const { db } = app.deps;
  const any = prepared((db, { key }: { key: string }) =>
    db.selectFrom('instance_values').select('value').where('key', '=', key),
  );
  const ended = await db.transaction().execute(async (transaction) => {
    assert.deepEqual(await any(transaction, { key: 'ended' }), []);
    return transaction;
  });
  await assert.rejects(any(ended, { key: 'ended' }), /already committed/);
});
