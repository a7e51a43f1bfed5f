import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Environment } from '../../../db/tables/environments.table.ts';

/** Query for the environments of a project, oldest first. */
export const environmentsOf = (db: Db, projectId: number) =>
  db.selectFrom('environments').selectAll().where('project_id', '=', projectId).orderBy('id');

/** @throws ApiError 404 */
export async function findEnvironment(db: Db, projectId: number, id: number): Promise<Environment> {
  const row = await environmentsOf(db, projectId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Environment');
  return row;
}
