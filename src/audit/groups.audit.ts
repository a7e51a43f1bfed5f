import type { Db } from '../db/db.schema.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Deps } from '../deps.ts';
import { changesOf, type WatchedAttributes } from './changes.audit.ts';
import type { AuditEventName } from './names.audit.ts';
import { group, recordAudit } from './record.audit.ts';

type Row = Pick<Namespace, 'id'> & object;

const watch = (keys: readonly string[], prefix: 'group_' | ''): Record<string, { name: AuditEventName; as: string }> =>
  Object.fromEntries(keys.map((key) => [key, { name: `${prefix}${key}_updated`, as: key.replaceAll('_', ' ') }]));

/** Audited columns and settings of groups. */
export const WATCHED_OF_GROUPS: WatchedAttributes<Record<string, unknown>> = {
  ...watch(
    [
      'name',
      'path',
      'description',
      'lfs_enabled',
      'membership_lock',
      'only_allow_merge_if_pipeline_succeeds',
      'allow_merge_on_skipped_pipeline',
      'only_allow_merge_if_all_discussions_are_resolved',
      'mentions_disabled',
      'project_creation_level',
      'subgroup_creation_level',
      'require_two_factor_authentication',
      'two_factor_grace_period',
      'shared_runners_minutes_limit',
      'shared_runners_setting',
      'default_branch_protection_defaults',
      'wiki_access_level',
      'auto_devops_enabled',
      'math_rendering_limits_enabled',
      'lock_math_rendering_limits_enabled',
      'max_artifacts_size',
      'ldap_cn',
      'ldap_access',
      'lock_duo_features_enabled',
      'auto_duo_code_review_enabled',
      'web_based_commit_signing_enabled',
      'extra_shared_runners_minutes_limit',
      'unique_project_download_limit',
      'unique_project_download_limit_interval_in_seconds',
      'unique_project_download_limit_allowlist',
      'unique_project_download_limit_alertlist',
      'auto_ban_user_on_excessive_projects_download',
      'file_template_project_id',
    ],
    'group_',
  ),
  ...watch(
    [
      'emails_enabled',
      'show_diff_preview_in_email',
      'enabled_git_access_protocol',
      'enforce_ssh_certificates',
      'prevent_sharing_groups_outside_hierarchy',
      'prevent_forking_outside_group',
      'service_access_tokens_expiration_enforced',
      'duo_features_enabled',
      'experiment_features_enabled',
      'allowed_email_domains_list',
      'allow_personal_snippets',
    ],
    '',
  ),
  request_access_enabled: { name: 'group_request_access_enabled_updated', as: 'request access enabled', flag: true },
  visibility: { name: 'group_visibility_level_updated', as: 'visibility level' },
  share_with_group_lock: { name: 'group_shared_with_group_lock_updated', as: 'share with group lock' },
  default_branch: { name: 'default_branch_name_updated', as: 'default branch name' },
};

/**
 * Records changes of a group, in the transaction.
 * @param before columns and settings in one object, like `after`
 */
export const recordGroupChanges = (deps: Pick<Deps, 'clock'>, db: Db, before: Row, after: Row): Promise<void> =>
  recordAudit(
    deps,
    db,
    changesOf<Record<string, unknown>>({ ...before }, { ...after }, WATCHED_OF_GROUPS).map((entry) => ({
      ...entry,
      entity: group(after.id),
    })),
  );
