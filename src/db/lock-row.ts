import { sql } from 'kysely';
import type { Db } from './db.schema.ts';

/**
 * Locks a row until the end of the transaction. Needed before counting dependent rows against a limit, because on
 * PostgreSQL transactions do not see uncommitted rows of others.
 * @returns whether the row exists
 */
export async function lockRow(
  db: Db,
  table: 'approval_rules' | 'ci_pipeline_schedules' | 'member_roles' | 'namespaces' | 'projects' | 'users',
  id: number,
): Promise<boolean> {
  // An update without a change locks the row on either engine.
  const { rows } =
    await sql`update ${sql.table(table)} set created_at = created_at where id = ${id} returning id`.execute(db);
  return rows.length > 0;
}

/** Locks the installation as a whole. */
export async function lockInstance(db: Db): Promise<void> {
  await db
    .updateTable('instance_values')
    .set((eb) => ({ key: eb.ref('key') }))
    .where('key', '=', 'instance_id')
    .execute();
}
