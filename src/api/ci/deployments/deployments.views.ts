import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { Deployment as Row } from '../../../db/tables/deployments.table.ts';
import type { Environment } from '../../../db/tables/environments.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import type { Deployment, EnvironmentBasic } from '../environments/environments.responses.ts';
import { presentJobs } from '../jobs/jobs.views.ts';

export const presentEnvironmentBasic = (row: Environment): Static<typeof EnvironmentBasic> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  external_url: row.external_url,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

/** Renders deployments of one project with a fixed number of queries. */
export async function presentDeployments(
  deps: Deps,
  project: Project,
  rows: readonly Row[],
): Promise<Static<typeof Deployment>[]> {
  if (rows.length === 0) return [];
  const { db } = deps;
  const users = await usersById(db, pluck(rows, 'user_id'));
  const environmentIds = [...new Set(rows.map(({ environment_id }) => environment_id))];
  const environmentRows = await db.selectFrom('environments').selectAll().where('id', 'in', environmentIds).execute();
  const environments = new Map(environmentRows.map((environment) => [environment.id, environment]));
  const jobs = await jobsOf(deps, project, rows);
  return rows.flatMap((row) => {
    const environment = environments.get(row.environment_id);
    if (environment === undefined) return [];
    const user = users.get(row.user_id ?? 0);
    return {
      id: row.id,
      iid: row.iid,
      ref: row.ref,
      sha: row.sha,
      created_at: row.created_at,
      updated_at: row.updated_at,
      user: user === undefined ? null : userBasic(deps, user),
      environment: presentEnvironmentBasic(environment),
      deployable: jobs.get(row.job_id ?? 0) ?? null,
      status: row.status,
      pending_approval_count: 0,
      approvals: [],
    };
  });
}

async function jobsOf(deps: Deps, project: Project, rows: readonly Row[]) {
  const ids = [...new Set(rows.flatMap(({ job_id }) => job_id ?? []))];
  if (ids.length === 0) return new Map();
  const jobs = await deps.db.selectFrom('ci_jobs').selectAll().where('id', 'in', ids).execute();
  return new Map((await presentJobs(deps, jobs, project)).map((job) => [job.id, job]));
}
