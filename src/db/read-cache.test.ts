import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import type { Db } from './db.schema.ts';
import { cachedUntilWrite } from './read-cache.ts';

let app: TestApp;
let asked = 0;
before(async () => {
  app = await buildTestApp({
    onQuery: ({ sql }) => {
      if (/^select .*from "users"/.test(sql) && sql.includes("'steady'")) asked += 1;
    },
  });
});
after(() => app.close());

const nameOf = cachedUntilWrite((db, { id }: { id: number }) =>
  db
    .selectFrom('users')
    .select(['name', sql<string>`'steady'`.as('kind')])
    .where('id', '=', id),
);

/** The name, and whether the database was queried for it. */
async function read(db: Db, id: number): Promise<[string | undefined, boolean]> {
  const before = asked;
  const [row] = await nameOf(db, { id });
  return [row?.name, asked > before];
}

const rename = (db: Db, id: number, name: string) =>
  db.updateTable('users').set({ name }).where('id', '=', id).execute();

test('a steady query is asked again once more than bookkeeping has been written, by whomever', async () => {
  const { db, config } = app.deps;
  const project = await app.make.project();
  const { user } = await app.make.user({ columns: { name: 'One' } });
  const { id } = user;
  await app.drain();
  const keeps = config.database.kind === 'sqlite';
  assert.deepEqual(await read(db, id), ['One', true]);
  assert.deepEqual(await read(db, id), ['One', !keeps]);
  // Bookkeeping, inside and outside a transaction.
  const touch = (db: Db) =>
    db.updateTable('projects').set({ last_activity_at: '2026-01-01T00:00:00.000Z' }).where('id', '=', project.id);
  await db.transaction().execute(async (db) => {
    await touch(db).execute();
    await db.deleteFrom('ref_intents').where('id', '=', 0).execute();
    assert.deepEqual(await read(db, id), ['One', !keeps]);
  });
  await touch(db).execute();
  assert.deepEqual(await read(db, id), ['One', !keeps]);
  // Callers get their own copies of rows.
  (await nameOf(db, { id }))[0]!.name = 'Mine';
  assert.deepEqual(await read(db, id), ['One', !keeps]);

  await rename(db, id, 'Two');
  assert.deepEqual(await read(db, id), ['Two', true]);
  await db.transaction().execute(async (within) => {
    assert.deepEqual(await read(within, id), ['Two', !keeps]);
    await rename(within, id, 'Three');
    assert.deepEqual(await read(within, id), ['Three', true]);
    assert.deepEqual(await read(db, id), ['Two', true]);
  });
  assert.deepEqual(await read(db, id), ['Three', true]);
  const undone = db.transaction().execute(async (within) => {
    await rename(within, id, 'Four');
    assert.deepEqual(await read(within, id), ['Four', true]);
    throw new Error('undone');
  });
  await assert.rejects(undone, { message: 'undone' });
  assert.deepEqual(await read(db, id), ['Three', true]);
  // Raw queries may change anything.
  await sql`update users set name = 'Five' where id = ${id}`.execute(db);
  assert.deepEqual(await read(db, id), ['Five', true]);
  await db
    .updateTable('projects')
    .set({ last_activity_at: '2026-01-01T00:00:00.000Z', name: 'other' })
    .where('id', '=', project.id)
    .execute();
  assert.deepEqual(await read(db, id), ['Five', true]);

  if (config.database.kind !== 'sqlite') return;
  const other = new DatabaseSync(config.database.path);
  other.exec(`update users set name = 'Six' where id = ${id}`);
  other.close();
  await nextTurn();
  assert.deepEqual(await read(db, id), ['Six', true]);
});

test('what gives bookkeeping is not steady', async () => {
  const jobs = cachedUntilWrite((db, { id }: { id: number }) =>
    db.selectFrom('jobs').select('id').where('id', '=', id),
  );
  const projects = cachedUntilWrite((db, { id }: { id: number }) =>
    db.selectFrom('projects').selectAll().where('id', '=', id),
  );
  await assert.rejects(jobs(app.deps.db, { id: 1 }), /cannot be used for queries that read bookkeeping/);
  await assert.rejects(projects(app.deps.db, { id: 1 }), /cannot be used for queries that read bookkeeping/);
});
