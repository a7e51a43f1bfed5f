import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { USER_COLUMNS, type UserFate } from './user-columns.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const fates = new Map<string, UserFate>(
  Object.entries(USER_COLUMNS).flatMap(([table, columns]) =>
    Object.entries(columns as Record<string, UserFate>).map(([column, fate]) => [`${table}.${column}`, fate] as const),
  ),
);
const isSqlite = () => app.deps.config.database.kind === 'sqlite';

/** Foreign keys to users by their columns, with what the database does when a user is deleted. */
async function foreignKeys(): Promise<Map<string, string>> {
  const query = isSqlite()
    ? sql<{ column: string; rule: string }>`
        select m.name || '.' || f."from" as "column", f.on_delete as rule
        from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table' and f."table" = 'users'`
    : sql<{ column: string; rule: string }>`
        select k.table_name || '.' || k.column_name as "column", r.delete_rule as rule
        from information_schema.referential_constraints r
        join information_schema.key_column_usage k on k.constraint_name = r.constraint_name
          and k.constraint_schema = r.constraint_schema
        join information_schema.constraint_column_usage u on u.constraint_name = r.constraint_name
          and u.constraint_schema = r.constraint_schema
        where u.table_name = 'users' and k.table_schema = current_schema()`;
  return new Map((await query.execute(app.deps.db)).rows.map(({ column, rule }) => [column, rule]));
}

/** Columns whose name is that of a user. */
async function named(): Promise<string[]> {
  const query = isSqlite()
    ? sql<{ column: string }>`select m.name || '.' || c.name as "column"
        from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`
    : sql<{ column: string }>`select table_name || '.' || column_name as "column" from information_schema.columns
        where table_schema = current_schema()`;
  return (await query.execute(app.deps.db)).rows
    .map(({ column }) => column)
    .filter((column) => /(?:\.|_)(?:user|author|creator|owner|actor|by)_id$/.test(column));
}

/** Names that only look like those of users. */
const OTHERS = [
  'ci_jobs.auto_canceled_by_id',
  'pipelines.auto_canceled_by_id',
  'import_placeholder_memberships.source_user_id',
  'custom_attributes.owner_id',
];

test('every column that names a user says what becomes of it when they are deleted', async () => {
  const keys = await foreignKeys();
  assert.ok(keys.size > 40, 'there are such foreign keys');
  const columns = new Set([...keys.keys(), ...(await named())]);
  for (const other of OTHERS) columns.delete(other);
  assert.deepEqual([...columns].filter((column) => !fates.has(column)).sort(), []);
  assert.deepEqual([...fates.keys()].filter((column) => !columns.has(column)).sort(), []);
});

test('the database does what the table says, where nothing else does before', async () => {
  for (const [column, rule] of await foreignKeys()) {
    const fate = fates.get(column);
    if (rule === 'NO ACTION') assert.equal(fate, 'ghost', column);
    if (rule === 'SET NULL') assert.ok(fate === 'nobody' || fate === 'ghost', column);
    if (fate === 'goes') assert.equal(rule, 'CASCADE', column);
  }
});
