import { type Static, Type } from 'typebox';
import { PROJECT_CREATION_LEVELS, SUBGROUP_CREATION_LEVELS } from '../../../core/access-levels.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { Enum, Nullable, ofPlan } from '../../../http/http.schema.ts';
import { FULLY_PROTECTED, PROTECTIONS, protectionNumber } from '../../../settings/branch-protection.ts';

const Level = Type.Object({ access_level: Type.Integer() });

/** Protection of the default branch of new projects. */
export const BranchProtection = Type.Object({
  allowed_to_push: Type.Array(Level),
  allow_force_push: Type.Boolean(),
  allowed_to_merge: Type.Array(Level),
  developer_can_initial_push: Type.Boolean(),
});
export type BranchProtection = Static<typeof BranchProtection>;

/** Attributes of a group that no query filters by: stored as JSON, with parameters and fields of the same names. */
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

/** Settings shown only for single groups. */
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
    description:
      'Whether merging requires a successful pipeline in all projects of the group, regardless of their settings.',
    ...ofPlan('premium'),
  }),
  allow_merge_on_skipped_pipeline: Type.Boolean({
    description: 'Whether a skipped pipeline counts as successful in all projects of the group.',
    ...ofPlan('premium'),
  }),
  only_allow_merge_if_all_discussions_are_resolved: Type.Boolean({
    description:
      'Whether merging requires all threads to be resolved in all projects of the group, regardless of their settings.',
    ...ofPlan('premium'),
  }),
};

/** Settings shown only for single groups, and not accepted on creation. */
export const additionalSettingFields = {
  allowed_email_domains_list: Nullable(Type.String({ maxLength: 10_000, ...ofPlan('premium') })),
  allow_personal_snippets: Type.Boolean(ofPlan('premium')),
};

const Settings = Type.Object({ ...settingFields, ...detailSettingFields, ...additionalSettingFields });
export type GroupSettings = Static<typeof Settings>;

/** Defaults of settings. */
export const GROUP_DEFAULTS: Readonly<GroupSettings> = {
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
/** Values of `duo_availability` for the other two AI settings. */
const AVAILABILITIES = {
  default_on: { duo_features_enabled: true, lock_duo_features_enabled: false },
  default_off: { duo_features_enabled: false, lock_duo_features_enabled: false },
  never_on: { duo_features_enabled: false, lock_duo_features_enabled: true },
};
export type DuoAvailability = keyof typeof AVAILABILITIES;
export const DUO_AVAILABILITIES = Object.keys(AVAILABILITIES) as DuoAvailability[];

/** Returns `duo_availability`, derived from the other two AI settings. */
export function duoAvailability(settings: GroupSettings): DuoAvailability {
  if (settings.duo_features_enabled) return 'default_on';
  return settings.lock_duo_features_enabled ? 'never_on' : 'default_off';
}

const NAMES = Object.keys(GROUP_DEFAULTS) as (keyof GroupSettings)[];

/** Returns who may create projects in a new group, if the instance differs from the default. */
export function creationLevel({ default_project_creation: number }: { default_project_creation: number }) {
  const project_creation_level = PROJECT_CREATION_LEVELS[number] ?? GROUP_DEFAULTS.project_creation_level;
  return project_creation_level === GROUP_DEFAULTS.project_creation_level ? {} : { project_creation_level };
}

/** Returns the settings of a group, including defaults. */
export const groupSettings = (group: Pick<Namespace, 'settings'>): GroupSettings => ({
  ...GROUP_DEFAULTS,
  ...parseJson<Partial<GroupSettings>>(group.settings),
});

/** Settings in requests; `emails_disabled` is the deprecated opposite of `emails_enabled`. */
export type GroupSettingsInput = Partial<Omit<GroupSettings, 'default_branch_protection_defaults'>> & {
  emails_disabled?: boolean;
  duo_availability?: DuoAvailability;
  default_branch_protection_defaults?: Partial<BranchProtection>;
};

/** Returns the text of the `settings` column after applying parameters. */
export function settingsColumn(current: Pick<Namespace, 'settings'>, input: GroupSettingsInput): string {
  const stored = parseJson<Record<string, unknown>>(current.settings);
  if (input.duo_availability !== undefined) Object.assign(stored, AVAILABILITIES[input.duo_availability]);
  for (const name of NAMES) if (input[name] !== undefined) stored[name] = input[name];
  if (input.emails_enabled === undefined && input.emails_disabled !== undefined) {
    stored.emails_enabled = !input.emails_disabled;
  }
  Object.assign(stored, branchProtection(groupSettings(current), input));
  return JSON.stringify(stored);
}

/** Keeps the number and the rules of branch protection consistent; rules without a number keep the previous number. */
function branchProtection(
  current: GroupSettings,
  { default_branch_protection: number, default_branch_protection_defaults: rules }: GroupSettingsInput,
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
