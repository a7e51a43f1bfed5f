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

/** A database of books that records the SQL of its queries, and counts compilations. */
function library() {
  const queries = new Kysely<{ books: { id: number; state: string; author: string } }>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteCompiler(),
    },
  });
  const database = new DatabaseSync(':memory:');
  database.exec(`create table books (id integer primary key, state text, author text);
    create index lent on books (id) where state = 'lent';
    insert into books values (1, 'lent', 'a'), (2, 'lent', 'b'), (3, 'lent', 'c'), (4, 'lost', 'd'), (5, 'lent', 'e')`);
  let looks = 0;
  // Called for each table and column whenever a statement is compiled.
  database.setAuthorizer(() => {
    looks += 1;
    return 0;
  });
  return { books: queries.selectFrom('books').select('id'), database, looks: () => looks };
}

test('SQLite compiles a statement with a limit once, whatever values it runs with', () => {
  const { books, database, looks } = library();
  const { sql, parameters } = books.where('id', '>', 1).limit(2).offset(1).compile();
  const statement = database.prepare(sql);
  const compiled = looks();
  const boundIds = parameters.slice(1) as number[];
  const ids = (above: number) => statement.all(above, ...boundIds).map(({ id }) => id);
  assert.deepEqual([ids(1), ids(2), ids(9)], [[3, 4], [4, 5], []]);
  assert.equal(looks(), compiled);
  database.close();
});

test('SQLite compiles a statement once that a partial index is for', () => {
  const { books, database, looks } = library();
  const { sql, parameters } = books.where('state', '=', 'lent').where('id', '>', 1).compile();
  assert.match(sql, /"state" = 'lent'/);
  const statement = database.prepare(sql);
  const compiled = looks();
  for (const above of [1, 2, 3]) {
    const rest = parameters.slice(0, -1) as string[];
    assert.deepEqual(
      statement.all(...rest, above).map(({ id }) => id),
      [2, 3, 5].filter((id) => id > above),
    );
  }
  assert.equal(looks(), compiled);
  database.close();
});

test('what is no plain word stays a parameter', () => {
  const { books, database } = library();
  for (const state of ["x' or 1 = 1 --", 'Ä', 'two words', '', 'a'.repeat(41), '7']) {
    const { sql, parameters } = books.where('state', '=', state).compile();
    assert.match(sql, /"state" = \?$/);
    assert.deepEqual(parameters, [state]);
  }
  assert.deepEqual(books.where('author', '=', 'a').compile().parameters, ['a']);
  database.close();
});
