import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { after, before, mock, test } from 'node:test';
import { type Generated, Kysely, sql } from 'kysely';
import { NodeSqliteDialect, UNSYNCED } from './sqlite-driver.ts';

let folder: string;
let db: Kysely<{ things: { id: Generated<number>; name: string } }>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  db = new Kysely({ dialect: new NodeSqliteDialect({ path: join(folder, 'driver.db'), durable: false }) });
  await sql`create table things (id integer primary key, name text not null)`.execute(db);
});
after(async () => {
  await db.destroy();
  await rm(folder, { recursive: true });
});

const names = async () =>
  (await db.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);

test('a read waits for no transaction and sees what was committed before it, a write waits for its end', async () => {
  let written: Promise<unknown> | undefined;
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('things').values({ name: 'first' }).execute();
    assert.deepEqual(await names(), []);
    written = db.insertInto('things').values({ name: 'second' }).execute();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await names(), []);
  });
  await written;
  assert.deepEqual(await names(), ['first', 'second']);
});

test('what a statement gives is described once, however often it runs', async () => {
  const described = mock.method(StatementSync.prototype, 'columns');
  for (let n = 0; n < 5; n += 1) await db.selectFrom('things').selectAll().where('id', '=', n).execute();
  assert.equal(described.mock.callCount(), 1);
  described.mock.restore();
});

test('only the commit of a transaction that says so is not on disk before it counts', async () => {
  const durable = new Kysely<object>({
    dialect: new NodeSqliteDialect({ path: join(folder, 'durable.db'), durable: true }),
  });
  const level = async (handle: Kysely<object>) => {
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(handle);
    return rows[0]!.synchronous;
  };
  const [NORMAL, FULL] = [1, 2];
  try {
    const unsynced = () => durable.transaction().setIsolationLevel(UNSYNCED);
    assert.equal(await level(durable), FULL);
    assert.equal(await unsynced().execute(level), NORMAL);
    assert.equal(await durable.transaction().execute(level), FULL);
    assert.equal(await unsynced().execute(level), NORMAL);
    assert.equal(await level(durable), FULL);
    const undone = unsynced().execute(async (transaction) => {
      assert.equal(await level(transaction), NORMAL);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.equal(await level(durable), FULL);
    // Those of throw-away data are on disk at no time.
    const off = async (transaction: Kysely<object>) => assert.equal(await level(transaction), 0);
    await (db as Kysely<object>).transaction().setIsolationLevel(UNSYNCED).execute(off);
  } finally {
    await durable.destroy();
  }
});
