import { ACTIVE, isOneOf } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deployment } from '../../db/tables/deployments.table.ts';
import type { Environment } from '../../db/tables/environments.table.ts';
import type { Deps } from '../../deps.ts';
import { isPlayable, playJob } from '../states/play.ts';

/** Last successful deployment of an environment. */
export const lastDeployment = (db: Db, environmentId: number): Promise<Deployment | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/**
 * Stops an environment: starts the `on_stop` job of its last deployment and stops when that succeeds; immediately
 * without such a job or with `force`.
 * @param userId user who stops it; null: the user who deployed
 * @returns its new state; undefined if it no longer exists
 */
export async function stopEnvironment(
  deps: Deps,
  environmentId: number,
  { userId, force = false }: { userId: number | null; force?: boolean },
): Promise<Environment | undefined> {
  const action = force ? null : await stopActionOf(deps.db, environmentId);
  const played =
    action !== null && isPlayable(action.job)
      ? await playJob(deps, action.job.id, { userId: userId ?? action.deployedBy })
      : null;
  // A running job will stop it as well; a skipped one never will.
  const stopping = played !== null || (action !== null && isOneOf(ACTIVE, action.job.status));
  const stopped = await deps.db
    .updateTable('environments')
    .set({ state: stopping ? 'stopping' : 'stopped', auto_stop_at: null, updated_at: timestamp(deps.clock) })
    .where('id', '=', environmentId)
    .where('state', '!=', 'stopped')
    .returningAll()
    .executeTakeFirst();
  return stopped ?? rowOf(deps.db, environmentId);
}

const rowOf = (db: Db, id: number): Promise<Environment | undefined> =>
  db.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirst();

/** The `on_stop` job of the last deployment, and its deployer; null if none is named, or it does not exist. */
export async function stopActionOf(db: Db, environmentId: number): Promise<{ job: CiJob; deployedBy: number } | null> {
  const deployment = await lastDeployment(db, environmentId);
  if (deployment === undefined || deployment.on_stop === null || deployment.job_id === null) return null;
  const row = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_jobs as deployer', 'deployer.pipeline_id', 'ci_jobs.pipeline_id')
    .selectAll('ci_jobs')
    .select('deployer.user_id as deployed_by')
    .where('deployer.id', '=', deployment.job_id)
    .where('ci_jobs.name', '=', deployment.on_stop)
    .where('ci_jobs.retried', '=', 0)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { deployed_by: deployedBy, ...job } = row;
  return { job, deployedBy };
}
