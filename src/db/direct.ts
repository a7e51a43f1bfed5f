import { type CompiledQuery, type DatabaseConnection, type QueryResult, SqliteAdapter } from 'kysely';
import type { Db } from './db.schema.ts';

/** Connections of handles; null if each query needs its own. */
const connections = new WeakMap<Db, DatabaseConnection | null>();

/**
 * Runs a compiled query like `db.executeQuery`. On SQLite it skips Kysely's acquisition of a connection: a dozen
 * promises, which take as long as a short query.
 */
export async function runQuery<Row>(db: Db, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const known = connections.get(db);
  const connection = known === undefined ? await connectionOf(db) : known;
  return connection === null ? db.executeQuery(query) : connection.executeQuery(query);
}

/** Makes the handle of an ended transaction refuse queries, as Kysely does. */
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
