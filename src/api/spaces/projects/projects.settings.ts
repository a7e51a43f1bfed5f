import { parseJson } from '../../../db/columns.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { DEFAULT_MIRROR_SETTINGS, type MirrorSettings } from '../../../mirroring/pull/pull-mirror.settings.ts';

export interface ContainerExpirationPolicy {
  cadence: string;
  enabled: boolean;
  keep_n: number | null;
  older_than: string | null;
  name_regex: string | null;
  name_regex_keep: string | null;
}

/** Attributes of a project that no query filters by; stored as JSON in `projects.settings`. */
export interface ProjectSettings extends MirrorSettings {
  repository_object_format: 'sha1' | 'sha256';
  resolve_outdated_diff_discussions: boolean;
  container_expiration_policy: ContainerExpirationPolicy;
  service_desk_enabled: boolean;
  emails_enabled: boolean;
  show_diff_preview_in_email: boolean;
  shared_runners_enabled: boolean;
  group_runners_enabled: boolean;
  lfs_enabled: boolean;
  show_default_award_emojis: boolean;
  /** Whether it was created by a push to its path. */
  created_by_push: boolean;
  mr_default_target_self: boolean;
  ci_config_path: string | null;
  ci_default_git_depth: number | null;
  ci_delete_pipelines_in_seconds: number | null;
  ci_forward_deployment_enabled: boolean;
  ci_forward_deployment_rollback_allowed: boolean;
  /** Whether job tokens of this project reach only projects on its own list: the older, outbound scope. */
  ci_job_token_scope_enabled: boolean;
  /** Whether job tokens of other projects have access only if their project is on the allowlist. */
  ci_inbound_job_token_scope_enabled: boolean;
  ci_separated_caches: boolean;
  ci_allow_fork_pipelines_to_run_in_parent_project: boolean;
  ci_id_token_sub_claim_components: string[];
  ci_push_repository_for_job_token_allowed: boolean;
  ci_pipeline_variables_minimum_override_role: 'no_one_allowed' | 'developer' | 'maintainer' | 'owner';
  ci_restrict_pipeline_cancellation_role: 'developer' | 'maintainer' | 'no_one';
  build_git_strategy: 'fetch' | 'clone';
  build_timeout: number;
  keep_latest_artifact: boolean;
  restrict_user_defined_variables: boolean;
  runner_token_expiration_interval: number | null;
  resource_group_default_process_mode: 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first';
  auto_cancel_pending_pipelines: 'enabled' | 'disabled';
  auto_devops_enabled: boolean;
  auto_devops_deploy_strategy: 'continuous' | 'manual' | 'timed_incremental';
  public_jobs: boolean;
  /** Regular expression for coverage of jobs without one of their own. */
  build_coverage_regex: string | null;
  only_allow_merge_if_pipeline_succeeds: boolean;
  allow_merge_on_skipped_pipeline: boolean;
  only_allow_merge_if_all_discussions_are_resolved: boolean;
  remove_source_branch_after_merge: boolean;
  printing_merge_request_link_enabled: boolean;
  merge_method: 'merge' | 'rebase_merge' | 'ff';
  merge_request_title_regex: string | null;
  merge_request_title_regex_description: string | null;
  squash_option: 'never' | 'always' | 'default_on' | 'default_off';
  enforce_auth_checks_on_uploads: boolean;
  suggestion_commit_message: string | null;
  merge_commit_template: string | null;
  squash_commit_template: string | null;
  issue_branch_template: string | null;
  warn_about_potentially_unwanted_characters: boolean;
  autoclose_referenced_issues: boolean;
  max_artifacts_size: number | null;
  approvals_before_merge: number;
  reset_approvals_on_push: boolean;
  selective_code_owner_removals: boolean;
  disable_overriding_approvers_per_merge_request: boolean;
  merge_requests_author_approval: boolean;
  merge_requests_disable_committers_approval: boolean;
  require_reauthentication_to_approve: boolean;
  external_authorization_classification_label: string;
  secret_push_protection_enabled: boolean;
  issues_template: string | null;
  merge_requests_template: string | null;
  merge_pipelines_enabled: boolean;
  merge_trains_enabled: boolean;
  merge_trains_skip_train_allowed: boolean;
  only_allow_merge_if_all_status_checks_passed: boolean;
  allow_pipeline_trigger_approve_deployment: boolean;
  prevent_merge_without_jira_issue: boolean;
  auto_duo_code_review_enabled: boolean;
  web_based_commit_signing_enabled: boolean;
}

/** Defaults of settings. */
export const DEFAULT_SETTINGS: Readonly<ProjectSettings> = {
  repository_object_format: 'sha1',
  resolve_outdated_diff_discussions: false,
  container_expiration_policy: {
    cadence: '1d',
    enabled: false,
    keep_n: 10,
    older_than: '90d',
    name_regex: '.*',
    name_regex_keep: null,
  },
  service_desk_enabled: false,
  emails_enabled: true,
  show_diff_preview_in_email: true,
  shared_runners_enabled: true,
  group_runners_enabled: true,
  lfs_enabled: true,
  show_default_award_emojis: true,
  created_by_push: false,
  mr_default_target_self: false,
  ci_config_path: null,
  ci_default_git_depth: 20,
  ci_delete_pipelines_in_seconds: null,
  ci_forward_deployment_enabled: true,
  ci_forward_deployment_rollback_allowed: true,
  ci_job_token_scope_enabled: false,
  ci_inbound_job_token_scope_enabled: true,
  ci_separated_caches: true,
  ci_allow_fork_pipelines_to_run_in_parent_project: true,
  ci_id_token_sub_claim_components: ['project_path', 'ref_type', 'ref'],
  ci_push_repository_for_job_token_allowed: false,
  ci_pipeline_variables_minimum_override_role: 'developer',
  ci_restrict_pipeline_cancellation_role: 'developer',
  build_git_strategy: 'fetch',
  build_timeout: 3600,
  keep_latest_artifact: true,
  restrict_user_defined_variables: false,
  runner_token_expiration_interval: null,
  resource_group_default_process_mode: 'unordered',
  auto_cancel_pending_pipelines: 'enabled',
  auto_devops_enabled: false,
  auto_devops_deploy_strategy: 'continuous',
  public_jobs: true,
  build_coverage_regex: null,
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  remove_source_branch_after_merge: true,
  printing_merge_request_link_enabled: true,
  merge_method: 'merge',
  merge_request_title_regex: null,
  merge_request_title_regex_description: null,
  squash_option: 'default_off',
  enforce_auth_checks_on_uploads: true,
  suggestion_commit_message: null,
  merge_commit_template: null,
  squash_commit_template: null,
  issue_branch_template: null,
  warn_about_potentially_unwanted_characters: true,
  autoclose_referenced_issues: true,
  max_artifacts_size: null,
  approvals_before_merge: 0,
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_reauthentication_to_approve: false,
  ...DEFAULT_MIRROR_SETTINGS,
  external_authorization_classification_label: '',
  secret_push_protection_enabled: false,
  issues_template: null,
  merge_requests_template: null,
  merge_pipelines_enabled: false,
  merge_trains_enabled: false,
  merge_trains_skip_train_allowed: false,
  only_allow_merge_if_all_status_checks_passed: false,
  allow_pipeline_trigger_approve_deployment: false,
  prevent_merge_without_jira_issue: false,
  auto_duo_code_review_enabled: false,
  web_based_commit_signing_enabled: false,
};

/** Returns the settings of a project, including defaults. */
export const settingsOf = (project: Pick<Project, 'settings'>): ProjectSettings => ({
  ...DEFAULT_SETTINGS,
  ...parseJson<Partial<ProjectSettings>>(project.settings),
});

/** Returns the text of the column after a change; other settings are kept. */
export const changedSettings = (project: Pick<Project, 'settings'>, changes: Partial<ProjectSettings>): string =>
  JSON.stringify({ ...parseJson<Partial<ProjectSettings>>(project.settings), ...changes });
