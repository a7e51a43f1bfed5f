import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { Environment as Row } from '../../../db/tables/environments.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { lastDeployment } from '../../../pipelines/environments/stop-environment.ts';
import { presentProjects } from '../../spaces/index.ts';
import { presentDeployments, presentEnvironmentBasic } from '../deployments/deployments.views.ts';
import type { Environment, EnvironmentDetails, EnvironmentListEntry } from './environments.responses.ts';

export const presentEntry = (row: Row): Static<typeof EnvironmentListEntry> => ({
  ...presentEnvironmentBasic(row),
  description: row.description,
  tier: row.tier,
  state: row.state,
  auto_stop_at: row.auto_stop_at,
  auto_stop_setting: row.auto_stop_setting,
  cluster_agent: null,
  kubernetes_namespace: row.kubernetes_namespace,
  flux_resource_path: row.flux_resource_path,
});

/** Renders an environment with its project. */
export async function presentEnvironment(
  deps: Deps,
  caller: Caller,
  project: Project,
  row: Row,
): Promise<Static<typeof Environment>> {
  const [shown] = await presentProjects(deps, caller, [project], { simple: true });
  return { ...presentEntry(row), project: shown! };
}

/** Renders a single environment with its last deployment. */
export async function presentDetails(
  deps: Deps,
  caller: Caller,
  project: Project,
  row: Row,
): Promise<Static<typeof EnvironmentDetails>> {
  const last = await lastDeployment(deps.db, row.id);
  const [shown] = last === undefined ? [] : await presentDeployments(deps, project, [last]);
  return { ...(await presentEnvironment(deps, caller, project, row)), last_deployment: shown ?? null };
}
