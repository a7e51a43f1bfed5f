import type { Caller } from '../../../access/caller.ts';
import { paragraphs } from '../../../core/html.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import {
  type FeatureColumn,
  type FeatureLevel,
  flagValues,
  PROJECT_FEATURES,
  type Project as ProjectRow,
} from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { maskCredentials } from '../../../mirroring/mirroring.address.ts';
import { importUrlOf } from '../../../mirroring/stored-address.ts';
import { httpCloneAddress } from '../../../settings/clone-address.ts';
import { userAvatarUrl, userBasic } from '../../identity/index.ts';
import { groupAvatarUrl } from '../groups/groups.views.ts';
import { nextRunAt } from './container-expiration.ts';
import { operationsLevel } from './projects.changes.ts';
import type { Project, ProjectStatistics, SimpleProject } from './projects.responses.ts';
import { settingsOf } from './projects.settings.ts';
import type { ProjectView } from './projects.view-rows.ts';

/** Facts from the repository for the JSON; null if the caller may not read code. */
export interface RepositoryFacts {
  defaultBranch: string | null;
  empty: boolean;
}

/** URL of a project's avatar; null for none. */
export function projectAvatarUrl(deps: Deps, project: Pick<ProjectRow, 'id' | 'avatar'>): string | null {
  if (project.avatar === null) return null;
  const file = project.avatar.slice(project.avatar.indexOf('/') + 1);
  return `${deps.externalUrl()}/uploads/-/system/project/avatar/${project.id}/${encodeURIComponent(file)}`;
}

function namespaceOf(deps: Deps, { namespace, owner }: ProjectView): SimpleProject['namespace'] {
  const { id, name, path, kind, full_path, parent_id } = namespace;
  const web_url = `${deps.externalUrl()}/${kind === 'group' ? 'groups/' : ''}${full_path}`;
  return {
    id,
    name,
    path,
    kind,
    full_path,
    parent_id,
    avatar_url: namespaceAvatarUrl(deps, namespace, owner),
    web_url,
  };
}

function namespaceAvatarUrl(deps: Deps, namespace: Namespace, owner: ProjectView['owner']): string | null {
  if (namespace.kind === 'user') return owner === null ? null : userAvatarUrl(deps, owner);
  return groupAvatarUrl(deps, namespace);
}

/** Renders a project for anonymous callers and with `simple=true` (part 1, section 2). */
export function simpleProject(
  deps: Deps,
  caller: Caller,
  view: ProjectView,
  facts: RepositoryFacts | null,
  options: { customAttributes?: boolean } = {},
): SimpleProject {
  const { project } = view;
  const base = deps.externalUrl();
  const webUrl = `${base}/${project.full_path}`;
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${view.namespaceFullName} / ${project.name}`,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
    ...(facts === null ? {} : { default_branch: facts.defaultBranch }),
    tag_list: view.topics,
    topics: view.topics,
    ssh_url_to_repo: deps.sshUrl(`${project.full_path}.git`),
    http_url_to_repo: httpCloneAddress(deps, project.full_path),
    web_url: webUrl,
    // Known only if files are read: for single projects.
    readme_url: null,
    forks_count: view.forksCount,
    avatar_url: projectAvatarUrl(deps, project),
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    visibility: project.visibility,
    namespace: namespaceOf(deps, view),
    ...(caller.admin ? { repository_storage: project.repository_storage } : {}),
    ...(caller.admin && options.customAttributes ? { custom_attributes: view.customAttributes } : {}),
  };
}

const NO_STATISTICS: ProjectStatistics = {
  commit_count: 0,
  storage_size: 0,
  repository_size: 0,
  wiki_size: 0,
  lfs_objects_size: 0,
  job_artifacts_size: 0,
  pipeline_artifacts_size: 0,
  packages_size: 0,
  snippets_size: 0,
  uploads_size: 0,
  container_registry_size: 0,
};

/** Sizes of a project in bytes, and its number of commits on the default branch, as last measured in the background. */
export const statisticsOf = (project: Pick<ProjectRow, 'statistics'>): ProjectStatistics => ({
  ...NO_STATISTICS,
  ...parseJson<Partial<ProjectStatistics>>(project.statistics),
});

function featureLevels(project: ProjectRow): Record<FeatureColumn, FeatureLevel> {
  const columns = PROJECT_FEATURES.map((feature): FeatureColumn => `${feature}_access_level`);
  return Object.fromEntries(columns.map((column) => [column, project[column]])) as Record<FeatureColumn, FeatureLevel>;
}

/** Deprecated switches, for the caller: whether each feature is available to them. */
function switches({ project, permissions }: ProjectView) {
  return {
    issues_enabled: permissions.featureOpen('issues'),
    merge_requests_enabled: permissions.featureOpen('merge_requests'),
    wiki_enabled: permissions.featureOpen('wiki'),
    jobs_enabled: permissions.featureOpen('builds'),
    snippets_enabled: permissions.featureOpen('snippets'),
    packages_enabled: project.package_registry_access_level !== 'disabled',
    container_registry_enabled: permissions.featureOpen('container_registry'),
    requirements_enabled: permissions.featureOpen('requirements'),
    security_and_compliance_enabled: permissions.featureOpen('security_and_compliance'),
  };
}

function links(deps: Deps, { project, permissions }: ProjectView): Project['_links'] {
  const self = `${deps.externalUrl()}/api/v4/projects/${project.id}`;
  return {
    self,
    ...(permissions.featureOpen('issues') ? { issues: `${self}/issues` } : {}),
    ...(permissions.featureOpen('merge_requests') ? { merge_requests: `${self}/merge_requests` } : {}),
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
    cluster_agents: `${self}/cluster_agents`,
  };
}

export interface FullOptions {
  customAttributes?: boolean;
  statistics?: boolean;
  /** Include the caller's own memberships. */
  permissions?: boolean;
}

/** Renders a project with all fields for a signed-in caller (part 1, section 2). */
export function fullProject(
  deps: Deps,
  caller: Caller,
  view: ProjectView,
  facts: RepositoryFacts | null,
  options: FullOptions = {},
): Project {
  const { project, permissions, standings } = view;
  const {
    container_expiration_policy,
    mirror_user_id,
    // The approval configuration has endpoints of its own.
    reset_approvals_on_push: _reset,
    selective_code_owner_removals: _selective,
    disable_overriding_approvers_per_merge_request: _overriding,
    merge_requests_author_approval: _author,
    merge_requests_disable_committers_approval: _committers,
    require_reauthentication_to_approve: _password,
    created_by_push: _pushed,
    ci_inbound_job_token_scope_enabled: _limited,
    ...settings
  } = settingsOf(project);
  const levels = featureLevels(project);
  const administers = permissions.can('admin_project');
  const { hostname } = new URL(deps.externalUrl());
  const importUrl = administers ? importUrlOf(deps, project) : null;
  return {
    ...simpleProject(deps, caller, view, facts, options),
    ...settings,
    keep_latest_artifact: settings.keep_latest_artifact && deps.settings.now.keep_latest_artifact,
    // Deprecated names of other fields.
    pre_receive_secret_detection_enabled: settings.secret_push_protection_enabled,
    operations_access_level: operationsLevel(levels),
    // Jobs get such tokens on request only.
    ci_opt_in_jwt: true,
    ...levels,
    ...switches(view),
    container_registry_image_prefix: `${hostname}/${project.full_path.toLowerCase()}`,
    _links: links(deps, view),
    marked_for_deletion_at: project.marked_for_deletion_on,
    marked_for_deletion_on: project.marked_for_deletion_on,
    ...(facts === null ? {} : { empty_repo: facts.empty }),
    archived: project.archived === 1,
    ...(view.owner === null ? {} : { owner: userBasic(deps, view.owner) }),
    container_expiration_policy: {
      ...container_expiration_policy,
      next_run_at: nextRunAt(container_expiration_policy, project.created_at, deps.clock.now()),
    },
    service_desk_address: null,
    can_create_merge_request_in: permissions.can('create_merge_request_in'),
    emails_disabled: !settings.emails_enabled,
    ...flagValues(project),
    creator_id: project.creator_id,
    import_type: project.import_url === null ? null : 'git',
    import_status: project.import_status,
    open_issues_count: view.openIssuesCount,
    description_html: paragraphs(project.description ?? ''),
    updated_at: project.updated_at,
    shared_with_groups: view.sharedGroups,
    compliance_frameworks: [],
    ...(administers
      ? {
          import_url: importUrl === null ? null : maskCredentials(importUrl),
          import_error: project.import_error,
          runners_token: null,
          mirror_user_id,
        }
      : {}),
    ...(options.statistics && permissions.can('read_statistics') ? { statistics: statisticsOf(project) } : {}),
    ...(options.permissions
      ? { permissions: { project_access: standings.projectAccess, group_access: standings.groupAccess } }
      : {}),
  };
}
