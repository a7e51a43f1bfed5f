import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { StartupError } from '../core/startup-error.ts';
import { connect, openDatabase, openExisting } from './database.ts';
import type { Db } from './db.schema.ts';
import { migrate } from './migrate.ts';
import { checksumOf, type Engine, readHistory } from './migration-history.ts';
import { migrations } from './migrations/index.ts';
import { copyBeforeUpgrade } from './upgrade-copy.ts';

let folder: string;
let database: TestDatabase;
let engine: Engine;
let db: Db;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-migrate-'));
  database = await emptyDatabase();
  engine = database.url === null ? 'sqlite' : 'postgres';
  db = (await connect(config())).db;
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const path = () => join(folder, 'stithy.db');
const config = () =>
  database.url === null
    ? ({ kind: 'sqlite', path: path(), durable: false } as const)
    : ({ kind: 'postgres', url: database.url } as const);

const FIRST = { '0001-first': 'create table first (id {id}, name {text} not null);' };
const SECOND = { ...FIRST, '0002-second': 'create table second (id {id}); alter table first add column size {int};' };
const BROKEN = { ...SECOND, '0003-third': 'create table third (id {id}); create table third (id {id});' };

const names = async () => (await readHistory(db, engine)).map(({ name }) => name);
const has = async (table: string) => {
  try {
    await sql`select 1 from ${sql.table(table)}`.execute(db);
    return true;
  } catch {
    return false;
  }
};
const says = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartupError, String(error));
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n/);
  return true;
};

test('released migrations are as they were released', () => {
  const released = {
    '0001-foundation': 'fd5ba080c9e6727ea6ba3ab61b31ae9ed81decc88b8bbf66a928b4bb1eea7679',
    '0002-collaboration': 'b41c3db7780ca523e2d54a661edbab2954d32f0b20dac96ddf251dca67ed1322',
  };
  for (const [name, checksum] of Object.entries(released)) assert.equal(checksumOf(migrations[name]!), checksum, name);
});

describe('migrate', () => {
  test('goes from one version to the next, and does nothing where there is nothing to do', async () => {
    await migrate(db, engine, { known: FIRST });
    await sql`insert into first (name) values ('kept')`.execute(db);
    await migrate(db, engine, { known: SECOND });
    await migrate(db, engine, { known: SECOND });
    assert.deepEqual(await names(), ['0001-first', '0002-second']);
    const { rows } = await sql`select name, size from first`.execute(db);
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [{ name: 'kept', size: null }],
    );
  });

  test('leaves nothing of an upgrade that fails in the middle, and starts again', async () => {
    await migrate(db, engine, { known: FIRST });
    await assert.rejects(
      migrate(db, engine, { known: BROKEN }),
      says(/migration 0003-third: .*third.*already exists.*left unchanged/),
    );
    assert.deepEqual(await names(), ['0001-first']);
    assert.deepEqual([await has('second'), await has('third')], [false, false]);
    await migrate(db, engine, { known: SECOND });
    assert.deepEqual(await names(), ['0001-first', '0002-second']);
  });

  test('leaves nothing of a first start that fails in the middle', async () => {
    await assert.rejects(migrate(db, engine, { known: BROKEN }), StartupError);
    assert.deepEqual([await has('first'), await has('kysely_migration')], [false, false]);
    await migrate(db, engine, { known: SECOND });
    assert.equal(await has('second'), true);
  });

  test('notices a migration that was edited after the database had it', async () => {
    await migrate(db, engine, { known: FIRST });
    const edited = { '0001-first': `${FIRST['0001-first']} create index first_name on first (name);` };
    await assert.rejects(migrate(db, engine, { known: edited }), says(/0001-first was changed/));
  });

  test('refuses the data of a newer program, and of a fork of it', async () => {
    await migrate(db, engine, { known: SECOND });
    await assert.rejects(
      migrate(db, engine, { known: FIRST }),
      says(/newer version of Stithy \(it has migration 0002-second\)/),
    );
    const between = { ...FIRST, '0001-more': 'create table more (id {id});', '0002-second': SECOND['0002-second'] };
    await assert.rejects(migrate(db, engine, { known: between }), says(/has migration 0002-second, but not 0001-more/));
  });

  test('takes up the data of a version that kept no checksums', async () => {
    await sql`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
      db,
    );
    await sql`insert into kysely_migration values ('0001-first', '2026-01-01T00:00:00.000Z')`.execute(db);
    await sql`create table first (id integer)`.execute(db);
    await migrate(db, engine, { known: FIRST });
    await migrate(db, engine, { known: SECOND });
    const checksums = (await readHistory(db, engine)).map(({ checksum }) => checksum);
    assert.deepEqual(checksums, Object.values(SECOND).map(checksumOf));
  });

  test('of two processes at once makes every table once', async (t) => {
    if (engine === 'sqlite') return t.skip('an embedded database has one server');
    const other = (await connect(config())).db;
    await Promise.all([migrate(db, engine, { known: SECOND }), migrate(other, engine, { known: SECOND })]);
    await other.destroy();
    assert.deepEqual(await names(), ['0001-first', '0002-second']);
  });
});

test('commands beside the server change nothing of a database that is empty or of an earlier version', async () => {
  await assert.rejects(openExisting(config()), says(/database is empty|There is no database/));
  const [first] = Object.entries(migrations);
  await migrate(db, engine, { known: Object.fromEntries([first!]) });
  await assert.rejects(openExisting(config()), says(/Start the server once to upgrade it/));
  assert.deepEqual(await names(), [first![0]]);
});

describe('on SQLite', () => {
  test('an upgrade keeps a copy of what was before it', async (t) => {
    if (engine !== 'sqlite') return t.skip('PostgreSQL is backed up with its own tools');
    const [first] = Object.entries(migrations);
    await migrate(db, engine, { known: Object.fromEntries([first!]) });
    await sql`insert into instance_values (key, value) values ('mark', '1')`.execute(db);
    await (await openDatabase(config())).close();
    const copy = join(folder, `stithy.db.before-upgrade-of-${first![0]}`);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const old = new DatabaseSync(copy, { readOnly: true });
    assert.deepEqual(
      old
        .prepare('select name from kysely_migration')
        .all()
        .map(({ name }) => name),
      [first![0]],
    );
    assert.equal(old.prepare("select value from instance_values where key = 'mark'").get()?.value, '1');
    old.close();
    assert.equal(
      readdirSync(folder).some((name) => name.includes('copying')),
      false,
    );
    await (await openDatabase(config())).close();
    assert.equal(readdirSync(folder).filter((name) => /before-upgrade-of-[\w-]*n$/.test(name)).length, 1);
  });

  test('the copies of the last two upgrades are kept', async (t) => {
    if (engine !== 'sqlite') return t.skip('there are none');
    await migrate(db, engine, { known: SECOND });
    for (const last of ['0001-a', '0002-b', '0003-c', '0003-c']) await copyBeforeUpgrade(path(), last);
    const copies = readdirSync(folder).filter((name) => name.includes('before'));
    assert.deepEqual(copies.sort(), ['stithy.db.before-upgrade-of-0002-b', 'stithy.db.before-upgrade-of-0003-c']);
  });

  test('the remains of a first start of an earlier version are named', async (t) => {
    if (engine !== 'sqlite') return t.skip('there were none');
    await sql`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
      db,
    );
    await sql`create table users (id integer)`.execute(db);
    await assert.rejects(migrate(db, engine), says(/Delete its file and start again/));
  });
});
