import { FINISHED, isOneOf, type State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import { nextIids } from '../../db/iids.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deployment } from '../../db/tables/deployments.table.ts';
import type { Deps } from '../../deps.ts';
import { ciSettings } from '../creation/ci-settings.ts';

/** The state of a deployment while its job is in one; a job that waits leaves it as it is. */
const FOLLOWS: Partial<Record<State, Deployment['status']>> = {
  running: 'running',
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
  created: 'created',
};

/** Lets the deployments of jobs go as the jobs do. @param jobs that have come to the state `to` */
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

/** What a job is going to deploy. */
export interface NewDeployment {
  job: Pick<CiJob, 'id' | 'project_id' | 'ref' | 'tag' | 'sha' | 'user_id'>;
  environment_id: number;
  on_stop: string | null;
}

/** Enters the deployments of new jobs of one project. */
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
 * Those of the jobs that have not begun whose deployment is older than what is deployed: they would take back what a newer
 * pipeline brought. None where the project lets them.
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
  return olderThanDeployed(
    db,
    waiting.map(({ id }) => id),
  );
}

/** Those of the jobs whose deployment is older than the last good one of its environment, and of another commit. */
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
 * Whether nobody may start a job since it would deploy what is older than what is deployed: one that never ran, and one that
 * did where the project lets nobody roll back.
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
