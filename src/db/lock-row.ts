import { sql } from 'kysely';
import type { Db } from './db.schema.ts';

/**
 * Lets one transaction at a time go on that calls this for the row: whoever bounds how many of something hang on a row
 * locks it before they count, for on PostgreSQL none sees what others have not committed.
 * @returns whether the row is there
 */
export async function lockRow(
  db: Db,
  table: 'approval_rules' | 'ci_pipeline_schedules' | 'member_roles' | 'namespaces' | 'projects' | 'users',
  id: number,
): Promise<boolean> {
  // An update that changes nothing locks the row on either engine.
  const { rows } =
    await sql`update ${sql.table(table)} set created_at = created_at where id = ${id} returning id`.execute(db);
  return rows.length > 0;
}

/** The same for what the installation as a whole has. */
export async function lockInstance(db: Db): Promise<void> {
  await db
    .updateTable('instance_values')
    .set((eb) => ({ key: eb.ref('key') }))
    .where('key', '=', 'instance_id')
    .execute();
}
