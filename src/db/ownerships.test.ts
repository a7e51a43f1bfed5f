import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import type { Ownership } from './ownership.ts';
import { ownerships } from './ownerships.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const told = Object.entries(ownerships) as [string, Ownership<Record<string, unknown>>][];
const ownershipOf = (table: string) => told.find(([name]) => name === table)?.[1];

const isSqlite = () => app.deps.config.database.kind === 'sqlite';

/** Columns of all tables, as the database itself knows them. */
async function columns(): Promise<{ table: string; name: string }[]> {
  const query = isSqlite()
    ? sql<{ table: string; name: string }>`
          select m.name as "table", c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`
    : sql<{ table: string; name: string }>`
          select table_name as "table", column_name as name from information_schema.columns
          where table_schema = current_schema()`;
  return (await query.execute(app.deps.db)).rows;
}

test('every column that says what kind of thing a row belongs to says how the row goes', async () => {
  const typed = (await columns()).filter(({ name }) => name.endsWith('_type'));
  assert.ok(typed.length > 15, 'the database has such columns');
  const silent = typed.filter(({ table, name }) => {
    const { belongsTo = [], plain = [] } = ownershipOf(table) ?? {};
    return !plain.includes(name) && !belongsTo.some(({ type }) => type === name);
  });
  assert.deepEqual(silent, [], 'say it in the ownership of the table (src/db/tables/), or that it is plain');
});

test('what ownerships speak of is there', async () => {
  const known = new Set((await columns()).map(({ table, name }) => `${table}.${name}`));
  for (const [table, { ofGroup, belongsTo = [], outlives = {}, plain = [] }] of told) {
    const named = belongsTo.flatMap(({ type, id, takesNote, instead = {} }) => [
      type,
      id,
      takesNote ?? [],
      Object.keys(instead),
    ]);
    for (const column of [ofGroup ?? [], named, Object.keys(outlives), plain].flat(3)) {
      assert.ok(known.has(`${table}.${column}`), `${table}.${column}`);
    }
  }
});

/** Foreign keys that forbid the removal of a user. */
async function holdingBack(): Promise<{ table: string; name: string }[]> {
  const query = isSqlite()
    ? sql<{ table: string; name: string }>`
        select m.name as "table", f."from" as name from sqlite_master m, pragma_foreign_key_list(m.name) f
        where m.type = 'table' and f."table" = 'users' and f.on_delete = 'NO ACTION'`
    : sql<{ table: string; name: string }>`
        select k.table_name as "table", k.column_name as name
        from information_schema.referential_constraints r
        join information_schema.key_column_usage k on k.constraint_name = r.constraint_name
        join information_schema.constraint_column_usage u on u.constraint_name = r.constraint_name
        where u.table_name = 'users' and r.delete_rule = 'NO ACTION' and k.table_schema = current_schema()`;
  return (await query.execute(app.deps.db)).rows;
}

test('a user whom rows outlive leaves no row that holds him back', async () => {
  const rows = await holdingBack();
  assert.ok(rows.length > 3, 'there are such foreign keys');
  const silent = rows.filter(({ table, name }) => ownershipOf(table)?.outlives?.[name] === undefined);
  assert.deepEqual(silent, []);
});
