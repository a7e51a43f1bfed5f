import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { makeScene } from '../../test/rights/scene.ts';
import { makeThings } from '../../test/rights/things.ts';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { timestamp } from '../core/clock.ts';
import { USER_COLUMNS, type UserColumnRule } from './user-columns.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const fates = new Map<string, UserColumnRule>(
  Object.entries(USER_COLUMNS).flatMap(([table, columns]) =>
    Object.entries(columns as Record<string, UserColumnRule>).map(
      ([column, fate]) => [`${table}.${column}`, fate] as const,
    ),
  ),
);
const isSqlite = () => app.deps.config.database.kind === 'sqlite';

/** Foreign keys to users by column, with the action on deletion. */
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

/** Columns named like a user reference. */
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

/** Columns that only look like user references. */
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

/** Makes a row of every table whose rows outlive the users that they name. */
async function makeRows(): Promise<void> {
  const scene = await makeScene(app, 'public', await app.make.group({ visibility: 'public' }));
  await makeThings(app, scene);
  const { project, group } = scene;
  const { db, clock } = app.deps;
  const created_at = timestamp(clock);
  const other = await app.make.project();
  const place = `/projects/${project.id}`;
  for (const [path, json, status] of [
    [`${place}/issues/1/add_spent_time`, { duration: '1h' }, 201],
    [`${place}/export_relations`, {}, 202],
    [`${place}/invitations`, { email: 'late@example.org', access_level: 30 }, 201],
    [`${place}/job_token_scope/allowlist`, { target_project_id: other.id }, 201],
  ] as const) {
    expectStatus(await app.post(path, { json }), status);
  }
  await db.insertInto('deploy_keys').values({ title: 'k', key: 'k', fingerprint: 'SHA256:k', created_at }).execute();
  await db
    .insertInto('uploads')
    .values({ project_id: project.id, secret: '0'.repeat(32), filename: 'f', sha256: 'f', size: 1, created_at })
    .execute();
  await db
    .insertInto('import_source_users')
    .values({
      namespace_id: group.id,
      source_hostname: 'https://elsewhere.example',
      import_type: 'gitlab_migration',
      source_user_identifier: '7',
      created_at,
      updated_at: created_at,
    })
    .execute();
}

test('rows that outlive a user name the ghost, nobody or still them, as the table says', async () => {
  const { db } = app.deps;
  const { user } = await app.make.user();
  await makeRows();
  const outliving = [...fates].filter(([column, fate]) => fate !== 'goes' && column !== 'ref_intents.user_id');
  assert.ok(outliving.length > 30);
  const marked: { name: string; fate: UserColumnRule; value(): Promise<number | null | undefined> }[] = [];
  for (const [name, fate] of outliving) {
    const [table, column] = name.split('.').map((each) => sql.ref(each)) as [RawBuilder<unknown>, RawBuilder<unknown>];
    const row = await sql<{ id: number }>`update ${table} set ${column} = ${user.id}
      where id = (select min(id) from ${table}) returning id`.execute(db);
    const id = row.rows[0]?.id;
    assert.ok(id !== undefined, `${name} has no row`);
    const value = async () =>
      (await sql<{ value: number | null }>`select ${column} as value from ${table} where id = ${id}`.execute(db))
        .rows[0]?.value;
    marked.push({ name, fate, value });
  }
  expectStatus(await app.delete(`/users/${user.id}`), 204);
  const ghost = await db.selectFrom('users').select('id').where('kind', '=', 'ghost').executeTakeFirstOrThrow();
  const expected = { ghost: ghost.id, nobody: null, kept: user.id, goes: undefined } satisfies Record<
    UserColumnRule,
    unknown
  >;
  for (const { name, fate, value } of marked) assert.equal(await value(), expected[fate], name);
});
