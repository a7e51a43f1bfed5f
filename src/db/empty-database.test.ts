import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { temporaryFolder } from '../../test/support/git-fixture.ts';
import { openDatabase } from './database.ts';
import { expectManyDatabases, placeEmptyDatabase } from './empty-database.ts';

test('further databases are copies of the first empty one, and what is there stays', async (t) => {
  const folder = temporaryFolder(t);
  const openOne = async (name: string, durable: boolean) => {
    const statements: string[] = [];
    const path = join(folder, name);
    const database = await openDatabase({ kind: 'sqlite', path, durable }, ({ sql }) => statements.push(sql));
    return { ...database, path, statements };
  };
  expectManyDatabases();
  const first = await openOne('first.db', false);
  await sql`insert into instance_values (key, value) values ('mark', '1')`.execute(first.db);
  const second = await openOne('second.db', true);
  assert.equal(
    second.statements.some((each) => /create table/i.test(each)),
    false,
  );
  const schemaOf = async ({ db }: typeof first) =>
    (await sql`select type, name, sql from sqlite_master order by type, name`.execute(db)).rows;
  assert.deepEqual(await schemaOf(second), await schemaOf(first));
  assert.deepEqual((await sql`select * from instance_values`.execute(second.db)).rows, []);
  assert.equal(statSync(second.path).mode & 0o777, 0o600);
  placeEmptyDatabase(first.path, false);
  assert.equal((await sql`select * from instance_values`.execute(first.db)).rows.length, 1);
  for (const { close } of [first, second]) await close();
  assert.deepEqual(readdirSync(folder).sort(), ['first.db', 'second.db']);
});
