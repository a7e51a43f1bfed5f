import { type Static, Type } from 'typebox';
import { PROJECT_CREATION_LEVELS, SUBGROUP_CREATION_LEVELS } from '../../../core/access-levels.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { Enum, Nullable, ofPlan } from '../../../http/http.schema.ts';
import { FULLY_PROTECTED, PROTECTIONS, protectionNumber } from '../../../settings/branch-protection.ts';

const Level = Type.Object({ access_level: Type.Integer() });

/** How the default branch of a new project is protected. */
export const BranchProtection = Type.Object({
  allowed_to_push: Type.Array(Level),
  allow_force_push: Type.Boolean(),
  allowed_to_merge: Type.Array(Level),
  developer_can_initial_push: Type.Boolean(),
});
export type BranchProtection = Static<typeof BranchProtection>;

/** Attributes of a group that no query filters by: kept as JSON, shown as they are, set by parameters of their names. */
export const settingFields = {
  share_with_group_lock: Type.Boolean(),
  require_two_factor_authentication: Type.Boolean(),
  two_factor_grace_period: Type.Integer({ minimum: 0 }),
  project_creation_level: Enum(PROJECT_CREATION_LEVELS),
  auto_devops_enabled: Nullable(Type.Boolean()),
  subgroup_creation_level: Enum(SUBGROUP_CREATION_LEVELS),
  emails_enabled: Type.Boolean(),
  show_diff_preview_in_email: Type.Boolean(),
  mentions_disabled: Nullable(Type.Boolean()),
  lfs_enabled: Type.Boolean(),
  math_rendering_limits_enabled: Type.Boolean(),
  lock_math_rendering_limits_enabled: Type.Boolean(),
  default_branch: Nullable(Type.String({ maxLength: 255 })),
  default_branch_protection: Type.Integer({ minimum: 0, maximum: 4 }),
  default_branch_protection_defaults: BranchProtection,
  shared_runners_setting: Enum(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable']),
  max_artifacts_size: Nullable(Type.Integer({ minimum: 0 })),
  wiki_access_level: Enum(['disabled', 'private', 'enabled'], ofPlan('premium')),
  ldap_cn: Nullable(Type.String({ maxLength: 255 })),
  ldap_access: Nullable(Type.Integer()),
  duo_features_enabled: Type.Boolean(),
  lock_duo_features_enabled: Type.Boolean(),
  auto_duo_code_review_enabled: Nullable(Type.Boolean()),
  web_based_commit_signing_enabled: Type.Boolean(),
};

/** Settings that only the single read of a group shows. */
export const detailSettingFields = {
  enabled_git_access_protocol: Enum(['ssh', 'http', 'all']),
  enforce_ssh_certificates: Type.Boolean(ofPlan('premium')),
  prevent_sharing_groups_outside_hierarchy: Type.Boolean(),
  shared_runners_minutes_limit: Nullable(Type.Integer({ minimum: 0, ...ofPlan('premium') })),
  extra_shared_runners_minutes_limit: Nullable(Type.Integer({ minimum: 0, ...ofPlan('premium') })),
  prevent_forking_outside_group: Nullable(Type.Boolean(ofPlan('premium'))),
  membership_lock: Type.Boolean(ofPlan('premium')),
  service_access_tokens_expiration_enforced: Type.Boolean(),
  unique_project_download_limit: Type.Integer({ minimum: 0, maximum: 10_000, ...ofPlan('ultimate') }),
  unique_project_download_limit_interval_in_seconds: Type.Integer({
    minimum: 0,
    maximum: 864_000,
    ...ofPlan('ultimate'),
  }),
  unique_project_download_limit_allowlist: Type.Array(Type.String(), { maxItems: 100, ...ofPlan('ultimate') }),
  unique_project_download_limit_alertlist: Type.Array(Type.Integer(), { maxItems: 100, ...ofPlan('ultimate') }),
  auto_ban_user_on_excessive_projects_download: Type.Boolean(ofPlan('ultimate')),
  experiment_features_enabled: Type.Boolean(ofPlan('premium')),
  only_allow_merge_if_pipeline_succeeds: Type.Boolean({
    description: 'Whether merges into any project below need a pipeline that succeeded, whatever the project says.',
    ...ofPlan('premium'),
  }),
  allow_merge_on_skipped_pipeline: Type.Boolean({
    description: 'Whether a skipped pipeline counts as a success in all projects below.',
    ...ofPlan('premium'),
  }),
  only_allow_merge_if_all_discussions_are_resolved: Type.Boolean({
    description:
      'Whether all threads must be resolved before merges into any project below, whatever the project says.',
    ...ofPlan('premium'),
  }),
};

/** Settings that only the single read of a group shows, and that a group is not created with. */
export const laterSettingFields = {
  allowed_email_domains_list: Nullable(Type.String({ maxLength: 10_000, ...ofPlan('premium') })),
  allow_personal_snippets: Type.Boolean(ofPlan('premium')),
};

const Settings = Type.Object({ ...settingFields, ...detailSettingFields, ...laterSettingFields });
export type GroupSettings = Static<typeof Settings>;

const DEFAULTS: GroupSettings = {
  share_with_group_lock: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  project_creation_level: 'developer',
  auto_devops_enabled: null,
  subgroup_creation_level: 'maintainer',
  emails_enabled: true,
  show_diff_preview_in_email: true,
  mentions_disabled: null,
  lfs_enabled: true,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  default_branch: null,
  default_branch_protection: FULLY_PROTECTED,
  default_branch_protection_defaults: PROTECTIONS[FULLY_PROTECTED]!,
  shared_runners_setting: 'enabled',
  max_artifacts_size: null,
  wiki_access_level: 'enabled',
  ldap_cn: null,
  ldap_access: null,
  duo_features_enabled: true,
  lock_duo_features_enabled: false,
  auto_duo_code_review_enabled: null,
  web_based_commit_signing_enabled: false,
  enabled_git_access_protocol: 'all',
  enforce_ssh_certificates: false,
  prevent_sharing_groups_outside_hierarchy: false,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  prevent_forking_outside_group: null,
  membership_lock: false,
  service_access_tokens_expiration_enforced: true,
  unique_project_download_limit: 0,
  unique_project_download_limit_interval_in_seconds: 0,
  unique_project_download_limit_allowlist: [],
  unique_project_download_limit_alertlist: [],
  auto_ban_user_on_excessive_projects_download: false,
  experiment_features_enabled: false,
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  allowed_email_domains_list: null,
  allow_personal_snippets: true,
};
/** What the settings of AI features are called together. */
const AVAILABILITIES = {
  default_on: { duo_features_enabled: true, lock_duo_features_enabled: false },
  default_off: { duo_features_enabled: false, lock_duo_features_enabled: false },
  never_on: { duo_features_enabled: false, lock_duo_features_enabled: true },
};
export type DuoAvailability = keyof typeof AVAILABILITIES;
export const DUO_AVAILABILITIES = Object.keys(AVAILABILITIES) as DuoAvailability[];

/** `duo_availability` of a group, as its other two settings of AI features have it. */
export function duoAvailability(settings: GroupSettings): DuoAvailability {
  if (settings.duo_features_enabled) return 'default_on';
  return settings.lock_duo_features_enabled ? 'never_on' : 'default_off';
}

const NAMES = Object.keys(DEFAULTS) as (keyof GroupSettings)[];

/** Who makes projects in a new group, where the server says another than a group begins with. */
export function creationLevel({ default_project_creation: number }: { default_project_creation: number }) {
  const project_creation_level = PROJECT_CREATION_LEVELS[number] ?? DEFAULTS.project_creation_level;
  return project_creation_level === DEFAULTS.project_creation_level ? {} : { project_creation_level };
}

/** The settings of a group, defaults filled in. */
export const groupSettings = (group: Pick<Namespace, 'settings'>): GroupSettings => ({
  ...DEFAULTS,
  ...parseJson<Partial<GroupSettings>>(group.settings),
});

/** What parameters of creation and update say about settings; `emails_disabled` is the old form of `emails_enabled`. */
export type GivenSettings = Partial<Omit<GroupSettings, 'default_branch_protection_defaults'>> & {
  emails_disabled?: boolean;
  duo_availability?: DuoAvailability;
  default_branch_protection_defaults?: Partial<BranchProtection>;
};

/** The text of the `settings` column after the parameters have been put in force. */
export function settingsColumn(current: Pick<Namespace, 'settings'>, input: GivenSettings): string {
  const stored = parseJson<Record<string, unknown>>(current.settings);
  if (input.duo_availability !== undefined) Object.assign(stored, AVAILABILITIES[input.duo_availability]);
  for (const name of NAMES) if (input[name] !== undefined) stored[name] = input[name];
  if (input.emails_enabled === undefined && input.emails_disabled !== undefined) {
    stored.emails_enabled = !input.emails_disabled;
  }
  Object.assign(stored, branchProtection(groupSettings(current), input));
  return JSON.stringify(stored);
}

/** The number and the rules behind it follow each other; rules that no number stands for keep the number. */
function branchProtection(
  current: GroupSettings,
  { default_branch_protection: number, default_branch_protection_defaults: rules }: GivenSettings,
): Partial<GroupSettings> {
  if (rules !== undefined) {
    const defaults = { ...current.default_branch_protection_defaults, ...rules };
    const known = protectionNumber(defaults);
    return {
      default_branch_protection_defaults: defaults,
      ...(known === -1 ? {} : { default_branch_protection: known }),
    };
  }
  if (number === undefined) return {};
  return { default_branch_protection: number, default_branch_protection_defaults: PROTECTIONS[number]! };
}
