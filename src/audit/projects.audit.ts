import { pluck } from '../core/pluck.ts';
import { openStored } from '../core/stored-secret.ts';
import type { Db } from '../db/db.schema.ts';
import { byFlagColumn, PROJECT_FEATURES, type Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { changesOf, type WatchedAttributes } from './changes.audit.ts';
import type { AuditEventName } from './names.audit.ts';
import { type AuditEntity, type AuditEntry, group, INSTANCE, project, recordAudit } from './record.audit.ts';

type Row = Pick<Project, 'id'> & Partial<Pick<Project, 'import_url'>> & Readonly<Record<string, unknown>>;
type AnyWatched = Record<string, { name: AuditEventName; as: string }>;

const spoken = (key: string): string => key.replaceAll('_', ' ').replaceAll('ci ', 'CI ');
/** Attributes whose event names begin with `project_`. */
const prefixed = (keys: readonly string[]): AnyWatched =>
  Object.fromEntries(keys.map((key) => [key, { name: `project_${key}_updated`, as: spoken(key) }]));
/** Attributes whose event names have no prefix. */
const plain = (keys: readonly string[]): AnyWatched =>
  Object.fromEntries(keys.map((key) => [key, { name: `${key}_updated`, as: spoken(key) }]));

/** Audited columns and settings of projects. */
export const WATCHED_OF_PROJECTS: WatchedAttributes<Record<string, unknown>> = {
  ...prefixed(['name', 'path', 'merge_method', 'approvals_before_merge']),
  ...byFlagColumn((column) => ({
    name: `project_${column}_updated` as const,
    as: spoken(column),
    flag: true as const,
  })),
  visibility: { name: 'project_visibility_level_updated', as: 'visibility level' },
  ...Object.fromEntries(
    PROJECT_FEATURES.map((feature) => [
      `${feature}_access_level`,
      { name: `project_feature_${feature}_access_level_updated` as const, as: spoken(`${feature}_access_level`) },
    ]),
  ),
  ...prefixed([
    'only_allow_merge_if_pipeline_succeeds',
    'only_allow_merge_if_all_discussions_are_resolved',
    'only_allow_merge_if_all_status_checks_passed',
    'remove_source_branch_after_merge',
    'printing_merge_request_link_enabled',
    'resolve_outdated_diff_discussions',
    'merge_request_title_regex',
    'suggestion_commit_message',
    'reset_approvals_on_push',
    'disable_overriding_approvers_per_merge_request',
    'merge_requests_author_approval',
    'public_jobs',
    'build_coverage_regex',
    'shared_runners_enabled',
    'group_runners_enabled',
    'runner_token_expiration_interval',
    'lfs_enabled',
    'build_timeout',
    'keep_latest_artifact',
    'auto_devops_enabled',
    'ci_config_path',
    'ci_job_token_scope_enabled',
    'ci_push_repository_for_job_token_allowed',
    'ci_allow_fork_pipelines_to_run_in_parent_project',
    'ci_pipeline_variables_minimum_override_role',
    'ci_restrict_pipeline_cancellation_role',
    'restrict_user_defined_variables',
    'secret_push_protection_enabled',
    'enforce_auth_checks_on_uploads',
    'emails_enabled',
    'service_desk_enabled',
    'show_default_award_emojis',
    'mr_default_target_self',
    'merge_request_title_regex_description',
    'issue_branch_template',
    'issues_template',
    'merge_requests_template',
    'autoclose_referenced_issues',
    'warn_about_potentially_unwanted_characters',
    'web_based_commit_signing_enabled',
    'auto_duo_code_review_enabled',
    'prevent_merge_without_jira_issue',
    'allow_pipeline_trigger_approve_deployment',
    'external_authorization_classification_label',
    'container_expiration_policy',
    'max_artifacts_size',
    'build_git_strategy',
    'auto_cancel_pending_pipelines',
    'auto_devops_deploy_strategy',
    'ci_default_git_depth',
    'ci_delete_pipelines_in_seconds',
    'ci_forward_deployment_enabled',
    'ci_forward_deployment_rollback_allowed',
    'ci_separated_caches',
    'ci_id_token_sub_claim_components',
    'resource_group_default_process_mode',
    'mirror',
    'mirror_user_id',
    'mirror_trigger_builds',
    'only_mirror_protected_branches',
    'mirror_overwrites_diverged_branches',
    'mirror_branch_regex',
  ]),
  import_url: { name: 'project_import_url_updated', as: 'import url', address: true },
  ...plain([
    'allow_merge_on_skipped_pipeline',
    'squash_option',
    'merge_commit_template',
    'squash_commit_template',
    'require_reauthentication_to_approve',
    'selective_code_owner_removals',
    'show_diff_preview_in_email',
  ]),
  merge_requests_disable_committers_approval: {
    name: 'project_merge_requests_disable_committers_approval_updated',
    as: 'prevent merge request approval from committers',
  },
  merge_pipelines_enabled: { name: 'project_cicd_merge_pipelines_enabled_updated', as: 'merge pipelines enabled' },
  merge_trains_skip_train_allowed: {
    name: 'project_merge_trains_skip_train_allowed_updated',
    as: 'merge trains skip train allowed',
  },
  merge_trains_enabled: { name: 'project_cicd_merge_trains_enabled_updated', as: 'merge trains enabled' },
};

const opened = ({ secrets }: Pick<Deps, 'secrets'>, { import_url = null, ...row }: Row): Record<string, unknown> => ({
  ...row,
  import_url: openStored(secrets, import_url, 'projects.import_url'),
});

/**
 * Records changes of a project, in the transaction.
 * @param before columns and settings in one object, like `after`
 */
export const recordProjectChanges = (
  deps: Pick<Deps, 'clock' | 'secrets'>,
  db: Db,
  before: Row,
  after: Row,
): Promise<void> =>
  recordAudit(
    deps,
    db,
    changesOf<Record<string, unknown>>(opened(deps, before), opened(deps, after), WATCHED_OF_PROJECTS).map((entry) => ({
      ...entry,
      entity: project(after.id),
    })),
  );

/** Records an event about a whole project, in the transaction. */
export const recordProject = (
  deps: Pick<Deps, 'clock'>,
  db: Db,
  id: number,
  entry: Omit<AuditEntry, 'entity'>,
): Promise<void> => recordAudit(deps, db, { ...entry, entity: project(id) });

/** Records the removal of projects under their groups; must be called while the namespaces still exist. */
export async function recordProjectRemovals(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  projects: readonly Pick<Project, 'id' | 'namespace_id' | 'full_path'>[],
  actorId: number | null,
): Promise<void> {
  if (projects.length === 0) return;
  const places = await entitiesOf(db, pluck(projects, 'namespace_id'));
  await recordAudit(
    deps,
    db,
    projects.map(({ id, namespace_id, full_path }) => ({
      name: 'project_destroyed',
      entity: places.get(namespace_id) ?? INSTANCE,
      target: { id, type: 'Project', details: full_path },
      message: 'Project destroyed',
      actorId,
    })),
  );
}

/** Audit entities of namespaces by id; those of personal namespaces are the instance. */
async function entitiesOf(db: Db, ids: readonly number[]): Promise<Map<number, AuditEntity>> {
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('kind', '=', 'group')
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id }) => [id, group(id)]));
}
