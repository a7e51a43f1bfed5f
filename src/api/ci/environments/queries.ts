import { notFound } from '../../../core/errors.ts';
import type { Db } from '../../../db/schema.ts';
import type { Deployment } from '../../../db/tables/deployments.ts';
import type { Environment } from '../../../db/tables/environments.ts';

/** The environments of a project, the oldest first. */
export const environmentsOf = (db: Db, projectId: number) =>
  db.selectFrom('environments').selectAll().where('project_id', '=', projectId).orderBy('id');

/** @throws ApiError 404 */
export async function findEnvironment(db: Db, projectId: number, id: number): Promise<Environment> {
  const row = await environmentsOf(db, projectId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Environment');
  return row;
}

/** The newest deployment of an environment that succeeded: what is there now. */
export const lastDeploymentOf = (db: Db, environmentId: number): Promise<Deployment | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
