import { FINISHED, isOneOf, type State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import { nextIids } from '../../db/iids.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deployment } from '../../db/tables/deployments.table.ts';
import type { Deps } from '../../deps.ts';
import { ciSettings } from '../creation/ci-settings.ts';

/** State of a deployment for each state of its job; a waiting job leaves it unchanged. */
const FOLLOWS: Partial<Record<State, Deployment['status']>> = {
  running: 'running',
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
  created: 'created',
};

/** Updates the deployments of jobs to the jobs' new state. @param jobs that are now in the state `to` */
export async function syncDeployments(
  deps: Deps,
  db: Db,
  jobs: readonly { id: number; project_id: number; environment: string | null }[],
  to: State,
): Promise<void> {
  const status = FOLLOWS[to];
  const ids = jobs.filter(({ environment }) => environment !== null).map(({ id }) => id);
  if (status === undefined || ids.length === 0) return;
  const now = timestamp(deps.clock);
  const changed = await db
    .updateTable('deployments')
    .set({ status, updated_at: now, ...(isOneOf(FINISHED, to) ? { finished_at: now } : {}) })
    .where('job_id', 'in', ids)
    .where('status', '!=', status)
    .returning(['id', 'project_id'])
    .execute();
  if (changed.length === 0) return;
  const payloads = changed.map(({ id, project_id }) => ({ deployment_id: id, project_id, status }));
  await deps.events.recordAll(db, 'deployment.updated', payloads, { projectId: changed[0]!.project_id });
}

/** A deployment planned by a job. */
export interface NewDeployment {
  job: Pick<CiJob, 'id' | 'project_id' | 'ref' | 'tag' | 'sha' | 'user_id'>;
  environment_id: number;
  on_stop: string | null;
}

/** Inserts the deployments of new jobs of one project. */
export async function insertDeployments(deps: Deps, db: Db, deployments: readonly NewDeployment[]): Promise<void> {
  if (deployments.length === 0) return;
  const { project_id } = deployments[0]!.job;
  const first = await nextIids(
    db,
    { source_type: 'project', source_id: project_id, usage: 'deployments' },
    deployments.length,
  );
  const now = timestamp(deps.clock);
  const made = await db
    .insertInto('deployments')
    .values(
      deployments.map(({ job: { id: job_id, ref, tag, sha, user_id }, environment_id, on_stop }, index) => ({
        ...{ iid: first + index, project_id, environment_id, ref, tag, sha, user_id, job_id, on_stop },
        status: 'created' as const,
        created_at: now,
        updated_at: now,
        finished_at: null,
      })),
    )
    .returning(['id', 'project_id'])
    .execute();
  const payloads = made.map(({ id, project_id }) => ({ deployment_id: id, project_id, status: 'created' }));
  await deps.events.recordAll(db, 'deployment.updated', payloads, { projectId: project_id });
}

/**
 * Jobs that have not started and whose deployment is older than the current one, so they would revert a newer pipeline.
 * None if the project allows that.
 * @returns their ids
 */
export async function outdatedDeployments(
  db: Db,
  jobs: readonly Pick<CiJob, 'id' | 'project_id' | 'status' | 'environment'>[],
): Promise<Set<number>> {
  const waiting = jobs.filter(({ status, environment }) => status === 'created' && environment !== null);
  if (waiting.length === 0) return new Set();
  const project = await db
    .selectFrom('projects')
    .select('settings')
    .where('id', '=', waiting[0]!.project_id)
    .executeTakeFirst();
  if (project === undefined || !ciSettings(project).ci_forward_deployment_enabled) return new Set();
  return olderThanDeployed(db, pluck(waiting, 'id'));
}

/** Jobs whose deployment is older than the last successful one of its environment and of a different commit. */
async function olderThanDeployed(db: Db, jobIds: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('deployments as own')
    .select('own.job_id')
    .where('own.job_id', 'in', jobIds)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('deployments as newer')
          .select('newer.id')
          .whereRef('newer.environment_id', '=', 'own.environment_id')
          .whereRef('newer.id', '>', 'own.id')
          .whereRef('newer.sha', '!=', 'own.sha')
          .where('newer.status', '=', 'success'),
      ),
    )
    .execute();
  return new Set(rows.flatMap(({ job_id }) => job_id ?? []));
}

/**
 * Whether a job must not start because it would deploy an older version than the current one: a job that never ran, or
 * any job if the project does not allow rollbacks.
 */
export async function isOutdated(
  db: Db,
  job: Pick<CiJob, 'id' | 'project_id' | 'status' | 'environment'>,
): Promise<boolean> {
  if (job.environment === null) return false;
  const project = await db
    .selectFrom('projects')
    .select('settings')
    .where('id', '=', job.project_id)
    .executeTakeFirstOrThrow();
  const { ci_forward_deployment_enabled, ci_forward_deployment_rollback_allowed } = ciSettings(project);
  if (!ci_forward_deployment_enabled) return false;
  if (ci_forward_deployment_rollback_allowed && isOneOf(FINISHED, job.status)) return false;
  return (await olderThanDeployed(db, [job.id])).has(job.id);
}
