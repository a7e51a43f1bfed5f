import { sql } from 'kysely';
import type { Deps } from '../../src/deps.ts';

/** Columns of all tables, as the database itself knows them. */
export async function tableColumns({ db, config }: Deps): Promise<{ table: string; name: string }[]> {
  const query =
    config.database.kind === 'sqlite'
      ? sql<{ table: string; name: string }>`
          select m.name as "table", c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`
      : sql<{ table: string; name: string }>`
          select table_name as "table", column_name as name from information_schema.columns
          where table_schema = current_schema()`;
  return (await query.execute(db)).rows;
}
