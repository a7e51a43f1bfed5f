import type { ProjectFeature } from '../db/tables/projects.table.ts';

/** Names of audit events: the platform's, and similar ones where it has none. */
export type AuditEventName =
  | 'member_created'
  | 'member_updated'
  | 'member_destroyed'
  | 'member_role_created'
  | 'member_role_deleted'
  | `group_share_with_group_link_${'created' | 'removed'}`
  | `project_group_link_${'created' | 'deleted'}`
  | `${'personal' | 'project' | 'group'}_access_token_created`
  | 'personal_access_token_revoked'
  | `${'project' | 'group'}_access_token_deleted`
  | `${'deploy' | 'group_deploy'}_token_${'created' | 'destroyed'}`
  | `deploy_key_${'added' | 'updated' | 'removed'}`
  | `${'add' | 'remove'}_${'ssh' | 'gpg'}_key`
  | `${'create' | 'delete'}_ssh_certificate`
  | `protected_${'branch' | 'tag'}_${'created' | 'updated' | 'removed'}`
  | `chat_name_${'linked' | 'unlinked'}`
  | `push_rule_${'created' | 'deleted'}`
  | `approval_rule_${'created' | 'deleted'}`
  | 'update_approval_rules'
  | `${'create' | 'update' | 'delete'}_status_check`
  | `ci_${'' | 'group_' | 'instance_'}variable_${'created' | 'updated' | 'deleted'}`
  | `ci_runner_${'created' | 'registered' | 'unregistered' | 'updated' | 'token_reset'}`
  | `ci_runner_${'assigned_to' | 'unassigned_from'}_project`
  | `ci_runner_registration_token_reset`
  | `secure_ci_job_token_${'project' | 'group'}_${'added' | 'removed'}`
  | `secure_ci_job_token_inbound_${'enabled' | 'disabled'}`
  | `pipeline_trigger_${'created' | 'updated' | 'deleted'}`
  | `project_${'created' | 'destroyed' | 'archived' | 'unarchived' | 'deletion_marked' | 'restored'}`
  | `project_${'fork_operation' | 'fork_relationship_removed'}`
  | `project_feature_${ProjectFeature}_access_level_updated`
  | `project_${string}_updated`
  | `group_${'created' | 'destroyed' | 'archived' | 'unarchived' | 'deletion_marked' | 'restored'}`
  | `group_${string}_updated`
  | `${string}_updated`
  | `user_${'created' | 'destroyed' | 'blocked' | 'approved' | 'rejected' | 'activate' | 'deactivate'}`
  | `${'unblock' | 'ban' | 'unban'}_user`
  | `email_${'created' | 'destroyed'}`
  | 'oauth_application_created'
  | 'oauth_application_deleted'
  | `license_${'created' | 'destroyed'}`
  | `broadcast_message_${'created' | 'deleted'}`
  | 'login_failed_with_standard_authentication'
  | `freeze_period_${'created' | 'deleted'}`
  | `package_protection_rule_${'created' | 'deleted'}`
  | `identity_${'created' | 'deleted'}`
  | `server_feature_${'created' | 'deleted'}`
  | `feature_flag_${'created' | 'deleted'}`
  | 'feature_flags_client_token_reset'
  | `invitation_${'created' | 'deleted' | 'accepted'}`
  | `remote_mirror_${'created' | 'deleted'}`
  | `webhook_${'created' | 'destroyed'}`
  | `integration_${'created' | 'disabled' | 'inherited'}`
  | 'repository_storage_move_scheduled'
  | `${'project' | 'group'}_export_created`
  | `${'project' | 'group'}_export_file_download_started`
  | `${'project' | 'group'}_relation_export_created`
  | `${'project' | 'group'}_relation_export_download_started`
  | `${'project' | 'group' | 'bulk'}_import_created`
  | 'bulk_import_canceled'
  | `placeholder_reassignment_${'proposed' | 'accepted' | 'declined' | 'completed' | 'failed'}`;
