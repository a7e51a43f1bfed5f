import { type CompiledQuery, type DatabaseConnection, type QueryResult, SqliteAdapter } from 'kysely';
import type { Db } from './db.schema.ts';

/** The connections of handles that have been asked for; null where every query needs one of its own. */
const connections = new WeakMap<Db, DatabaseConnection | null>();

/**
 * Runs a compiled query as `db.executeQuery` does. On SQLite, where a connection waits for nothing, without what Kysely does to hand
 * it out for each query: a dozen promises, which take as long as a short query does.
 */
export async function runQuery<Row>(db: Db, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const known = connections.get(db);
  const connection = known === undefined ? await connectionOf(db) : known;
  return connection === null ? db.executeQuery(query) : connection.executeQuery(query);
}

/** Has the handle of a transaction that has ended refuse queries, as Kysely does. */
export const forgetConnection = (db: Db): void => {
  connections.delete(db);
};

async function connectionOf(db: Db): Promise<DatabaseConnection | null> {
  const executor = db.getExecutor();
  const onSqlite = executor.adapter instanceof SqliteAdapter;
  const connection = onSqlite ? await executor.provideConnection(async (connection) => connection) : null;
  connections.set(db, connection);
  return connection;
}
