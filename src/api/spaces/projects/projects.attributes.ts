import { type TSchema, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { byFlagColumn, type FeatureColumn, PROJECT_FEATURES } from '../../../db/tables/projects.table.ts';
import { Enum, List, Nullable, ofPlan, Upload } from '../../../http/http.schema.ts';
import { CADENCE_NAMES } from './container-expiration.ts';

const LEVELS = ['disabled', 'private', 'enabled'] as const;
const WITH_PUBLIC = ['disabled', 'private', 'enabled', 'public'] as const;
const Level = Enum(LEVELS);

const text = (description?: string) =>
  Type.Optional(Nullable(Type.String(described(description, { maxLength: 100_000 }))));
const flag = (description?: string) => Type.Optional(Type.Boolean(described(description)));
const number = (options: Record<string, unknown> = {}) => Type.Optional(Nullable(Type.Integer(options)));
const paid = (plan: 'premium' | 'ultimate') => ({
  flag: () => Type.Optional(Type.Boolean(ofPlan(plan))),
  text: (maxLength = 100_000) => Type.Optional(Nullable(Type.String({ maxLength, ...ofPlan(plan) }))),
});
const premium = paid('premium');
const ultimate = paid('ultimate');
const described = (description: string | undefined, rest: Record<string, unknown> = {}): Record<string, unknown> =>
  description === undefined ? rest : { description, ...rest };

/** `issues_access_level` and others: who may use a feature of the project. */
const featureLevels = Object.fromEntries(
  PROJECT_FEATURES.map((feature) => [
    `${feature}_access_level`,
    Type.Optional(feature === 'pages' || feature === 'package_registry' ? Enum(WITH_PUBLIC) : Level),
  ]),
) as Record<FeatureColumn, ReturnType<typeof Type.Optional<typeof Level>>>;

/** Settings with the same name in input and output; `projects.settings.ts` has the defaults. */
export const settingAttributes = {
  resolve_outdated_diff_discussions: flag(),
  service_desk_enabled: flag(),
  emails_enabled: flag(),
  show_diff_preview_in_email: flag(),
  shared_runners_enabled: flag(),
  group_runners_enabled: flag(),
  lfs_enabled: flag(),
  show_default_award_emojis: flag('Whether to show thumbs-up and thumbs-down buttons before the first reaction.'),
  mr_default_target_self: flag('Whether merge requests of this fork target the fork by default.'),
  ci_config_path: text('Path of the CI/CD configuration file; empty for the default.'),
  ci_default_git_depth: number({ minimum: 0, maximum: 1000 }),
  ci_delete_pipelines_in_seconds: number({ minimum: 86_400, maximum: 31_536_000 }),
  ci_forward_deployment_enabled: flag(),
  ci_forward_deployment_rollback_allowed: flag(),
  ci_job_token_scope_enabled: flag(),
  ci_separated_caches: flag(),
  ci_allow_fork_pipelines_to_run_in_parent_project: flag(),
  ci_id_token_sub_claim_components: Type.Optional(List(Type.String())),
  ci_push_repository_for_job_token_allowed: flag(),
  ci_pipeline_variables_minimum_override_role: Type.Optional(
    Enum(['no_one_allowed', 'developer', 'maintainer', 'owner']),
  ),
  ci_restrict_pipeline_cancellation_role: Type.Optional(Enum(['developer', 'maintainer', 'no_one'])),
  build_git_strategy: Type.Optional(Enum(['fetch', 'clone'])),
  build_timeout: Type.Optional(Type.Integer({ minimum: 600, maximum: 2_592_000, description: 'Seconds.' })),
  keep_latest_artifact: flag(),
  restrict_user_defined_variables: flag(),
  runner_token_expiration_interval: number({ minimum: 0 }),
  resource_group_default_process_mode: Type.Optional(
    Enum(['unordered', 'oldest_first', 'newest_first', 'newest_ready_first']),
  ),
  auto_cancel_pending_pipelines: Type.Optional(Enum(['enabled', 'disabled'])),
  auto_devops_enabled: flag(),
  auto_devops_deploy_strategy: Type.Optional(Enum(['continuous', 'manual', 'timed_incremental'])),
  public_jobs: flag(),
  build_coverage_regex: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 255,
        description: 'Regular expression for coverage in logs of jobs without `coverage`; empty for none.',
      }),
    ),
  ),
  only_allow_merge_if_pipeline_succeeds: flag(),
  allow_merge_on_skipped_pipeline: flag(),
  only_allow_merge_if_all_discussions_are_resolved: flag(),
  remove_source_branch_after_merge: flag(),
  printing_merge_request_link_enabled: flag(),
  merge_method: Type.Optional(Enum(['ff', 'rebase_merge', 'merge'])),
  merge_request_title_regex: text(),
  merge_request_title_regex_description: text(),
  squash_option: Type.Optional(Enum(['never', 'always', 'default_on', 'default_off'])),
  enforce_auth_checks_on_uploads: flag(),
  suggestion_commit_message: text(),
  merge_commit_template: text(),
  squash_commit_template: text(),
  issue_branch_template: text(),
  warn_about_potentially_unwanted_characters: flag(),
  autoclose_referenced_issues: flag(),
  max_artifacts_size: number({ minimum: 0, description: 'MiB.' }),
  approvals_before_merge: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Deprecated: use approval rules.', ...ofPlan('premium') }),
  ),
  mirror_trigger_builds: premium.flag(),
  only_mirror_protected_branches: premium.flag(),
  mirror_overwrites_diverged_branches: premium.flag(),
  mirror_branch_regex: premium.text(),
  external_authorization_classification_label: Type.Optional(Type.String({ maxLength: 255, ...ofPlan('premium') })),
  issues_template: premium.text(),
  merge_requests_template: premium.text(),
  merge_pipelines_enabled: premium.flag(),
  merge_trains_enabled: premium.flag(),
  merge_trains_skip_train_allowed: premium.flag(),
  only_allow_merge_if_all_status_checks_passed: ultimate.flag(),
  allow_pipeline_trigger_approve_deployment: premium.flag(),
  prevent_merge_without_jira_issue: ultimate.flag(),
  auto_duo_code_review_enabled: flag(),
  web_based_commit_signing_enabled: flag(),
} satisfies Record<string, TSchema>;

const OF_MERGE_REQUESTS: ReadonlySet<string> = new Set<keyof typeof settingAttributes>([
  'mr_default_target_self',
  'resolve_outdated_diff_discussions',
  'only_allow_merge_if_pipeline_succeeds',
  'allow_merge_on_skipped_pipeline',
  'only_allow_merge_if_all_discussions_are_resolved',
  'only_allow_merge_if_all_status_checks_passed',
  'remove_source_branch_after_merge',
  'printing_merge_request_link_enabled',
  'merge_method',
  'merge_request_title_regex',
  'merge_request_title_regex_description',
  'squash_option',
  'suggestion_commit_message',
  'merge_commit_template',
  'squash_commit_template',
  'approvals_before_merge',
  'merge_requests_template',
  'merge_pipelines_enabled',
  'merge_trains_enabled',
  'merge_trains_skip_train_allowed',
  'prevent_merge_without_jira_issue',
]);

/** Whether an attribute of a project is a merge request setting. */
export const isOfMergeRequests = (name: string): boolean => OF_MERGE_REQUESTS.has(name);

/** Features that formerly were one, Operations. */
export const OPERATIONS = ['monitor', 'environments', 'feature_flags', 'infrastructure'] as const;

/** Deprecated attributes that stand for others. */
const oldAttributes = {
  issues_enabled: flag('Deprecated: use `issues_access_level`.'),
  merge_requests_enabled: flag('Deprecated: use `merge_requests_access_level`.'),
  wiki_enabled: flag('Deprecated: use `wiki_access_level`.'),
  jobs_enabled: flag('Deprecated: use `builds_access_level`.'),
  snippets_enabled: flag('Deprecated: use `snippets_access_level`.'),
  container_registry_enabled: flag('Deprecated: use `container_registry_access_level`.'),
  packages_enabled: flag('Deprecated: use `package_registry_access_level`.'),
  requirements_enabled: flag('Deprecated: use `requirements_access_level`.'),
  security_and_compliance_enabled: flag('Deprecated: use `security_and_compliance_access_level`.'),
  emails_disabled: flag('Deprecated: the opposite of `emails_enabled`.'),
  public_builds: flag(),
  operations_access_level: Type.Optional(
    Enum(LEVELS, {
      description:
        'Deprecated: sets `monitor_access_level`, `environments_access_level`, `feature_flags_access_level` and `infrastructure_access_level`.',
    }),
  ),
  tag_list: Type.Optional(List(Type.String(), { description: 'Deprecated: use `topics`.' })),
};

/** Attributes for creating and updating a project. */
export const projectAttributes = {
  path: Type.Optional(Type.String()),
  description: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
  visibility: Type.Optional(Enum(VISIBILITIES)),
  default_branch: Type.Optional(Type.String()),
  ...byFlagColumn(() => flag()),
  topics: Type.Optional(List(Type.String())),
  avatar: Type.Optional(Upload({ description: 'An image of at most 200 KiB; an empty string removes it.' })),
  import_url: Type.Optional(Nullable(Type.String({ maxLength: 2048 }))),
  mirror: flag('Whether the project is a pull mirror of `import_url`.'),
  repository_storage: Type.Optional(
    Type.String({
      description:
        'Storage of the repository, which is moved when it changes. Ignored unless the caller is an administrator.',
    }),
  ),
  container_expiration_policy_attributes: Type.Optional(
    Type.Object({
      cadence: Type.Optional(Enum(CADENCE_NAMES)),
      enabled: flag(),
      keep_n: number({ minimum: 0 }),
      older_than: text(),
      name_regex: text(),
      name_regex_delete: text(),
      name_regex_keep: text(),
    }),
  ),
  ...featureLevels,
  ...settingAttributes,
  ...oldAttributes,
};
