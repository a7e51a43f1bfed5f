import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { after, before, mock, test } from 'node:test';
import { type Generated, Kysely, sql } from 'kysely';
import { deferFlushes } from './deferred-flushes.ts';
import { LogFile } from './log-file.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { doNotSync } from './sqlite-driver.ts';

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

test('a commit fulfils when it is on disk, and others begin before; one that says so waits only for those before it', async () => {
  const dialect = new NodeSqliteDialect({ path: join(folder, 'durable.db'), durable: true });
  const durable = new Kysely<{ things: { name: string } }>({ dialect });
  const flush = mock.method(LogFile.prototype, 'flush');
  const insert = (handle: typeof durable, name: string) => handle.insertInto('things').values({ name }).execute();
  const unsynced = () => ({
    execute: <T>(work: (handle: typeof durable) => Promise<T>): Promise<T> =>
      durable.transaction().execute(async (handle) => {
        await doNotSync(handle);
        return work(handle);
      }),
  });
  try {
    await sql`create table things (name text not null)`.execute(durable);
    assert.equal(flush.mock.callCount(), 1);
    assert.equal(dialect.onDisk(), null);
    await unsynced().execute((handle) => insert(handle, 'a'));
    assert.deepEqual([flush.mock.callCount(), dialect.onDisk()], [1, null]);
    const order: string[] = [];
    const write = (name: string, begin: Pick<ReturnType<typeof unsynced>, 'execute'>) =>
      begin
        .execute(async (handle) => {
          order.push(`${name} works`);
          await insert(handle, name);
        })
        .then(() => order.push(`${name} is done`));
    await Promise.all([
      write('b', durable.transaction()),
      write('c', durable.transaction()),
      write('d', unsynced()),
      write('e', unsynced()),
    ]);
    assert.deepEqual(order.slice(0, 3), ['b works', 'c works', 'd works']);
    assert.ok(order.indexOf('d is done') > order.indexOf('c is done'));
    assert.deepEqual([flush.mock.callCount(), dialect.onDisk()], [3, null]);
    const undone = durable.transaction().execute(async (handle) => {
      await insert(handle, 'f');
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    await insert(durable, 'g');
    assert.equal(flush.mock.callCount(), 4);
    flush.mock.mockImplementationOnce(() => Promise.reject(new Error('no disk')));
    await assert.rejects(insert(durable, 'h'), /no disk/);
    // Commits of work whose flushes are deferred wait for none, those beside it do.
    await Promise.all([
      deferFlushes(async () => {
        await durable.transaction().execute((handle) => insert(handle, 'j'));
        await insert(durable, 'k');
      }),
      insert(durable, 'l'),
    ]);
    assert.equal(flush.mock.callCount(), 6);
    // Throw-away data is never flushed.
    await (db as Kysely<{ things: { name: string } }>).transaction().execute((handle) => insert(handle, 'i'));
    assert.equal(flush.mock.callCount(), 6);
  } finally {
    flush.mock.restore();
    await durable.destroy();
  }
});

test('the log gives the disk back that it took while a reader of another program held it up', async () => {
  const path = join(folder, 'log.db');
  const own = new Kysely<{ things: { id: Generated<number>; name: string } }>({
    dialect: new NodeSqliteDialect({ path, durable: false }),
  });
  await sql`create table things (id integer primary key, name text not null)`.execute(own);
  const reader = new DatabaseSync(path);
  reader.exec('begin; select count(*) from things');
  const name = 'x'.repeat(1024 * 1024);
  for (let count = 0; count < 48; count += 1) await own.insertInto('things').values({ name }).execute();
  const size = () => statSync(`${path}-wal`).size;
  assert.ok(size() > 40 * 1024 * 1024);
  reader.close();
  for (let count = 0; count < 3; count += 1) await own.insertInto('things').values({ name: 'y' }).execute();
  assert.ok(size() <= 32 * 1024 * 1024);
  await own.destroy();
});
