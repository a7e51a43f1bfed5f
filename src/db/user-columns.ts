import type { Schema } from './db.schema.ts';

/**
 * Effect of a user's deletion on rows that name them:
 * - `ghost`: replaced by the ghost user, so that contributions and decisions keep an author.
 * - `nobody`: the column becomes null.
 * - `goes`: the row is deleted, because it only concerns the user.
 * - `kept`: the number stays, as in a log.
 */
export type UserColumnRule = 'ghost' | 'nobody' | 'goes' | 'kept';

/** All columns that name a user. `user-columns.test.ts` compares it with the database. */
export const USER_COLUMNS: {
  readonly [T in keyof Schema]?: Readonly<Partial<Record<keyof Schema[T] & string, UserColumnRule>>>;
} = {
  access_requests: { user_id: 'goes' },
  access_tokens: { user_id: 'goes' },
  approval_rule_users: { user_id: 'goes' },
  approvals: { user_id: 'goes' },
  audit_events: { author_id: 'kept' },
  award_emoji: { user_id: 'ghost' },
  bulk_imports: { user_id: 'goes' },
  chat_names: { user_id: 'goes' },
  ci_job_token_links: { added_by_id: 'nobody' },
  ci_jobs: { user_id: 'ghost' },
  ci_pipeline_schedules: { owner_id: 'nobody' },
  ci_runners: { creator_id: 'nobody' },
  ci_triggers: { owner_id: 'goes' },
  deploy_keys: { user_id: 'nobody' },
  deploy_tokens: { creator_id: 'nobody' },
  deployments: { user_id: 'ghost' },
  domain_events: { actor_id: 'kept' },
  draft_notes: { author_id: 'goes' },
  emails: { user_id: 'goes' },
  events: { author_id: 'goes' },
  gpg_keys: { user_id: 'goes' },
  import_source_users: {
    placeholder_user_id: 'nobody',
    reassign_to_user_id: 'nobody',
    reassigned_by_user_id: 'nobody',
  },
  invitations: { created_by_id: 'nobody' },
  issuable_assignees: { user_id: 'goes' },
  issues: { author_id: 'ghost', closed_by_id: 'ghost', updated_by_id: 'ghost' },
  lfs_locks: { user_id: 'goes' },
  members: { user_id: 'goes', created_by_id: 'nobody' },
  merge_request_reviewers: { user_id: 'goes' },
  merge_requests: { author_id: 'ghost', closed_by_id: 'ghost', merge_user_id: 'ghost', updated_by_id: 'ghost' },
  namespaces: { owner_id: 'goes', marked_by_id: 'nobody' },
  notes: { author_id: 'ghost', resolved_by_id: 'ghost', updated_by_id: 'ghost' },
  notification_mails: { user_id: 'goes' },
  notification_settings: { user_id: 'goes' },
  oauth_applications: { owner_id: 'goes' },
  oauth_tokens: { user_id: 'goes' },
  packages: { creator_id: 'nobody' },
  pipelines: { user_id: 'ghost' },
  project_stars: { user_id: 'goes' },
  projects: { creator_id: 'ghost', marked_by_id: 'nobody' },
  protected_ref_levels: { user_id: 'goes' },
  ref_intents: { user_id: 'kept' },
  relation_export_users: { user_id: 'goes' },
  relation_exports: { user_id: 'nobody' },
  releases: { author_id: 'ghost' },
  resource_events: { user_id: 'ghost' },
  snippets: { author_id: 'ghost' },
  ssh_keys: { user_id: 'goes' },
  subscriptions: { user_id: 'goes' },
  terraform_state_versions: { created_by_id: 'nobody' },
  terraform_states: { locked_by_id: 'nobody' },
  time_logs: { user_id: 'ghost' },
  todos: { user_id: 'goes', author_id: 'goes' },
  uploads: { uploaded_by_id: 'nobody' },
  user_follows: { followed_id: 'goes', follower_id: 'goes' },
  user_identities: { user_id: 'goes' },
  user_sessions: { user_id: 'goes' },
  user_mentions: { user_id: 'goes' },
  user_preferences: { user_id: 'goes' },
  user_statuses: { user_id: 'goes' },
  users: { created_by_id: 'nobody' },
};
