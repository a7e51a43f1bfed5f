import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { SqliteCompiler } from './query-compilers.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('nothing is in an empty list, and everything is not in it', async () => {
  const users = app.deps.db.selectFrom('users').select('id');
  assert.deepEqual(await users.where('id', 'in', []).execute(), []);
  assert.deepEqual(await users.where('username', 'in', []).execute(), []);
  assert.ok((await users.where('id', 'not in', []).execute()).length > 0);
  const ids = async (query: typeof users) => (await query.execute()).map(({ id }) => id);
  assert.deepEqual(await ids(users.where((eb) => eb.or([eb('id', 'in', []), eb('id', '=', 1)]))), [1]);
  assert.deepEqual(await ids(users.where((eb) => eb.not(eb('id', 'in', []))).where('id', '=', 1)), [1]);
});

test('SQLite compiles a statement with a limit once, whatever values it runs with', () => {
  const queries = new Kysely<{ books: { id: number } }>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteCompiler(),
    },
  });
  const { sql, parameters } = queries.selectFrom('books').select('id').where('id', '>', 1).limit(2).offset(1).compile();
  const database = new DatabaseSync(':memory:');
  database.exec('create table books (id integer primary key); insert into books values (1), (2), (3), (4), (5)');
  let looks = 0;
  // Asked for each table and column whenever a statement is compiled.
  database.setAuthorizer(() => {
    looks += 1;
    return 0;
  });
  const statement = database.prepare(sql);
  const compiled = looks;
  const given = parameters.slice(1) as number[];
  const ids = (above: number) => statement.all(above, ...given).map(({ id }) => id);
  assert.deepEqual([ids(1), ids(2), ids(9)], [[3, 4], [4, 5], []]);
  assert.equal(looks, compiled);
  database.close();
});
