import { parseJson } from '../../db/columns.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { ResourceGroup } from '../../db/tables/resource-groups.table.ts';

/** CI settings of a project. */
export interface CiSettings {
  ci_config_path: string | null;
  auto_cancel_pending_pipelines: 'enabled' | 'disabled';
  ci_forward_deployment_enabled: boolean;
  ci_forward_deployment_rollback_allowed: boolean;
  ci_allow_fork_pipelines_to_run_in_parent_project: boolean;
  ci_delete_pipelines_in_seconds: number | null;
  ci_pipeline_variables_minimum_override_role: 'no_one_allowed' | 'developer' | 'maintainer' | 'owner';
  restrict_user_defined_variables: boolean;
  resource_group_default_process_mode: ResourceGroup['process_mode'];
  merge_pipelines_enabled: boolean;
}

const DEFAULTS: Readonly<CiSettings> = {
  ci_config_path: null,
  auto_cancel_pending_pipelines: 'enabled',
  ci_forward_deployment_enabled: true,
  ci_forward_deployment_rollback_allowed: true,
  ci_allow_fork_pipelines_to_run_in_parent_project: true,
  ci_delete_pipelines_in_seconds: null,
  ci_pipeline_variables_minimum_override_role: 'developer',
  restrict_user_defined_variables: false,
  resource_group_default_process_mode: 'unordered',
  merge_pipelines_enabled: false,
};

/** CI settings of a project, with defaults. */
export const ciSettings = (project: Pick<Project, 'settings'>): CiSettings => ({
  ...DEFAULTS,
  ...parseJson<Partial<CiSettings>>(project.settings),
});
