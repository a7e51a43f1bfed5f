import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { countOf, pageOf } from './paginate.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
  const rows = Array.from({ length: 10_003 }, (_, index) => ({
    key: `k${String(index).padStart(5, '0')}`,
    value: '1',
  }));
  for (let from = 0; from < rows.length; from += 2_000) {
    await app.deps.db
      .insertInto('instance_values')
      .values(rows.slice(from, from + 2_000))
      .execute();
  }
});
after(() => app.close());

const keys = (below: string) =>
  app.deps.db
    .selectFrom('instance_values')
    .select('key')
    .where('key', 'like', 'k%')
    .where('key', '<', below)
    .orderBy('key');

test('a page holds its rows and the number of all', async () => {
  const { rows, total } = await pageOf(app.deps.db, keys('k00025'), { offset: 10, size: 10 });
  assert.deepEqual([rows.length, rows[0]?.key, rows[9]?.key, total], [10, 'k00010', 'k00019', 25]);
});

test('the last page, a page past it and an empty list know their totals', async () => {
  const last = await pageOf(app.deps.db, keys('k00025'), { offset: 20, size: 10 });
  assert.deepEqual([last.rows.length, last.total], [5, 25]);
  const past = await pageOf(app.deps.db, keys('k00025'), { offset: 100, size: 10 });
  assert.deepEqual([past.rows.length, past.total], [0, 25]);
  const empty = await pageOf(app.deps.db, keys('a'), { offset: 0, size: 10 });
  assert.deepEqual([empty.rows.length, empty.total], [0, 0]);
});

test('no more than 10,001 rows are counted', async () => {
  const first = await pageOf(app.deps.db, keys('l'), { offset: 0, size: 10 });
  assert.equal(first.total, 10_001);
  const last = await pageOf(app.deps.db, keys('l'), { offset: 10_000, size: 10 });
  assert.deepEqual([last.rows.length, last.total], [3, 10_001]);
});

test('distinct rows are counted once', async () => {
  const values = app.deps.db.selectFrom('instance_values').select('value').where('key', 'like', 'k%').distinct();
  assert.equal(await countOf(app.deps.db, values), 1);
});
