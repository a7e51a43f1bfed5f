import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deployment } from '../../../db/tables/deployments.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { listCommits } from '../../../git/history/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import type { DeploymentFilters } from './deployments.inputs.ts';

/** Maximum number of commits searched for the merge requests of a deployment. */
const MAX_COMMITS = 1_000;

/** @throws ApiError 404 */
export async function findDeployment(db: Db, projectId: number, id: number): Promise<Deployment> {
  return db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(recordNotFound);
}

/** Refuses filters that do not match the order, which needs an index. @throws ApiError 400 */
function checkFilters({ order_by, status, ...times }: DeploymentFilters): void {
  const byUpdate = times.updated_after !== undefined || times.updated_before !== undefined;
  const byEnd = times.finished_after !== undefined || times.finished_before !== undefined;
  if (byUpdate && byEnd) throw badRequest('Both `updated_at` filter and `finished_at` filter can not be specified');
  if (byUpdate && order_by !== 'updated_at') throw badRequest('`updated_at` filter requires `updated_at` sort.');
  if (byEnd && order_by !== 'finished_at') throw badRequest('`finished_at` filter requires `finished_at` sort.');
  if (byEnd && status !== 'success') {
    throw badRequest('`finished_at` filter must be combined with `success` status filter.');
  }
}

/** Query for the deployments of a project that match filters. @throws ApiError 400 */
export function deploymentsOf(db: Db, projectId: number, filters: DeploymentFilters) {
  checkFilters(filters);
  const { order_by = 'id', sort = 'asc', environment, status } = filters;
  let query = db.selectFrom('deployments').selectAll().where('project_id', '=', projectId);
  if (environment !== undefined) {
    query = query.where('environment_id', 'in', (eb) =>
      eb
        .selectFrom('environments')
        .select('environments.id')
        .where('environments.project_id', '=', projectId)
        .where('environments.name', '=', environment),
    );
  }
  if (status !== undefined) query = query.where('status', '=', status);
  if (filters.updated_after !== undefined) query = query.where('updated_at', '>=', filters.updated_after);
  if (filters.updated_before !== undefined) query = query.where('updated_at', '<=', filters.updated_before);
  if (filters.finished_after !== undefined) query = query.where('finished_at', '>=', filters.finished_after);
  if (filters.finished_before !== undefined) query = query.where('finished_at', '<=', filters.finished_before);
  return order_by === 'id' ? query.orderBy('id', sort) : query.orderBy(order_by, sort).orderBy('id', sort);
}

/**
 * Returns the merge requests shipped with a deployment: those merged since the previous successful deployment, newest
 * first.
 */
export async function deployedMergeRequests(deps: Deps, project: Project, { id, environment_id, sha }: Deployment) {
  const { db } = deps;
  const before = await db
    .selectFrom('deployments')
    .select('sha')
    .where('environment_id', '=', environment_id)
    .where('status', '=', 'success')
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const repo = repositoryOf(deps, project);
  const not = before !== undefined && (await repo.objects.commit(before.sha)) !== null ? [before.sha] : [];
  const known = (await repo.objects.commit(sha)) !== null;
  const commits = known ? await listCommits(repo, { from: [sha], not, limit: MAX_COMMITS }) : [];
  const query = db.selectFrom('merge_requests').selectAll().where('project_id', '=', project.id);
  if (commits.length === 0) return query.where('id', 'in', [0]).orderBy('id', 'desc');
  return query
    .where('state', '=', 'merged')
    .where((eb) =>
      eb.or([
        eb('merge_commit_sha', 'in', commits),
        eb('squash_commit_sha', 'in', commits),
        eb('head_sha', 'in', commits),
      ]),
    )
    .orderBy('id', 'desc');
}
