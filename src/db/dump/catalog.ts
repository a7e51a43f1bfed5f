import { sql } from 'kysely';
import type { Db } from '../db.schema.ts';
import type { Engine } from '../migration-history.ts';

/** A table with its columns in order. */
export interface TableShape {
  name: string;
  columns: string[];
}

/** Tables of the migration history. */
const MIGRATION_TABLES = /^kysely_/;

/** How the names of schemas begin that hold copies of the tables, for the test bench. */
export const SNAPSHOT_SCHEMA = 'stithy_snapshot_';

/** All tables with data of the installation, by name. */
export async function tablesOf(db: Db): Promise<TableShape[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ name, schema, isView }) => !isView && !MIGRATION_TABLES.test(name) && !isCopy(schema))
    .map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isCopy = (schema: string | undefined): boolean => schema?.startsWith(SNAPSHOT_SCHEMA) === true;

/** A quoted identifier, in the syntax of both engines. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Query for the last generated id of each table: table and number. */
export const sequencesQuery = (engine: Engine): string =>
  engine === 'sqlite'
    ? 'select name, seq from sqlite_sequence order by name'
    : `select t.relname, coalesce(pg_sequence_last_value(s.oid), 0)
         from pg_depend d
         join pg_class s on s.oid = d.objid and s.relkind = 'S'
         join pg_class t on t.oid = d.refobjid
        where d.deptype in ('a', 'i') and t.relnamespace = current_schema()::regnamespace
        order by t.relname`;

/** Makes a table generate ids above `value` from now on; 0 for a table that has no rows. */
export async function setSequence(db: Db, engine: Engine, table: string, value: number): Promise<void> {
  if (engine === 'postgres') {
    // The smallest value of a sequence is 1, which the third argument says was not generated yet.
    await sql`select setval(pg_get_serial_sequence(${quoted(table)}, 'id'), ${Math.max(value, 1)}, ${value > 0})`.execute(
      db,
    );
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  if (value > 0) await sql`insert into sqlite_sequence (name, seq) values (${table}, ${value})`.execute(db);
}
