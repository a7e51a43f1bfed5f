import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { NodeSqliteDialect } from './sqlite-dialect.ts';

interface Things {
  things: { id: number; name: string };
}

async function openThings(t: TestContext, durable = true) {
  const folder = mkdtempSync(join(tmpdir(), 'stithy-test-'));
  const path = join(folder, 'file.db');
  const dialect = new NodeSqliteDialect({ path, durable });
  const db = new Kysely<Things>({ dialect });
  t.after(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });
  await sql`create table things (id integer primary key autoincrement, name text not null)`.execute(db);
  const add = (...names: string[]) =>
    db.transaction().execute(async (db) => {
      for (const name of names) await sql`insert into things (name) values (${name})`.execute(db);
    });
  const all = async () => (await db.selectFrom('things').selectAll().orderBy('id').execute()).map(Object.values);
  return { path, copy: join(folder, 'copy.db'), dialect, file: dialect.file, add, all };
}

const ROUNDS = 100;

test('what came since a copy is dropped with the log, again and again, for everybody who has the file open', async (t) => {
  const { path, copy, dialect, file, add, all } = await openThings(t);
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  const count = () => other.prepare('select count(*) as n from things').get()!.n;
  await add('kept');
  assert.equal(await file.rewind(), false);
  await file.copyTo(copy);
  const versions = new Set([dialect.version()]);
  for (let round = 1; round <= ROUNDS; round += 1) {
    if (round % 3 > 0) assert.deepEqual(await all(), [[1, 'kept']]);
    await add(...Array.from({ length: round }, (_, at) => `${at} `.repeat(round * 10)));
    if (round % 2 > 0) assert.equal(count(), round + 1);
    versions.add(dialect.version());
    assert.equal(await file.rewind(), true);
    assert.equal(statSync(`${path}-wal`).size, 0);
    versions.add(dialect.version());
    if (round % 5 > 0) assert.equal(count(), 1);
  }
  assert.equal(versions.size, 2 * ROUNDS + 1);
  await add('later');
  const wanted = [
    [1, 'kept'],
    [2, 'later'],
  ];
  assert.deepEqual(await all(), wanted);
  const program = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    console.log(JSON.stringify([db.prepare('select * from things').all().map(Object.values), db.prepare('pragma integrity_check').all()]))`;
  const { stdout } = spawnSync(process.execPath, ['-e', program, path], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(stdout), [wanted, [{ integrity_check: 'ok' }]]);
  assert.ok(existsSync(`${path}-wal`));
});

test('a copy leaves SQLite its locks on the file', async (t) => {
  const { path, copy, file, add } = await openThings(t);
  await add('kept');
  const { ino } = statSync(path);
  const locks = () =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
  const before = locks();
  if (before === 0) return t.skip('this system does not tell its locks');
  await file.copyTo(copy);
  assert.equal(locks(), before);
  assert.deepEqual(readFileSync(copy), readFileSync(path));
});

test('what SQLite has moved into the file since the copy cannot be dropped, but the copy replaces it', async (t) => {
  const { path, copy, dialect, file, add, all } = await openThings(t, false);
  await add('kept');
  await file.copyTo(copy);
  for (let count = 0; count < 20; count += 1) await add('x'.repeat(1024 * 1024));
  const before = await all();
  assert.equal(await file.rewind(), false);
  assert.deepEqual(await all(), before);
  const version = dialect.version();
  copyFileSync(copy, `${path}.new`);
  await file.replaceBy(`${path}.new`);
  assert.ok(dialect.version() > version);
  assert.deepEqual(await all(), [[1, 'kept']]);
  await add('dropped');
  assert.equal(await file.rewind(), true);
  assert.deepEqual(await all(), [[1, 'kept']]);
});
