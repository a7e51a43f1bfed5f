import { ACTIVE, isOneOf } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deployment } from '../../db/tables/deployments.table.ts';
import type { Environment } from '../../db/tables/environments.table.ts';
import type { Deps } from '../../deps.ts';
import { isPlayable, playJob } from '../states/play.ts';

/** The last deployment to an environment that came to a good end. */
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
 * Stops an environment: starts the job that its last deployment names for that (`on_stop`), and is stopped when that has
 * come to a good end; at once where there is no such job, or `force` is set.
 * @param userId who stops it; null: whoever deployed
 * @returns it as it is then; undefined when it is gone
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
  // One that is under way stops it as well; one that was skipped never will.
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

/** The job that stops what was deployed last, and who deployed; null where none is named, or it is not there. */
export async function stopActionOf(db: Db, environmentId: number): Promise<{ job: CiJob; deployedBy: number } | null> {
  const deployment = await lastDeployment(db, environmentId);
  if (deployment === undefined || deployment.on_stop === null || deployment.job_id === null) return null;
  const found = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_jobs as deployer', 'deployer.pipeline_id', 'ci_jobs.pipeline_id')
    .selectAll('ci_jobs')
    .select('deployer.user_id as deployed_by')
    .where('deployer.id', '=', deployment.job_id)
    .where('ci_jobs.name', '=', deployment.on_stop)
    .where('ci_jobs.retried', '=', 0)
    .executeTakeFirst();
  if (found === undefined) return null;
  const { deployed_by: deployedBy, ...job } = found;
  return { job, deployedBy };
}
