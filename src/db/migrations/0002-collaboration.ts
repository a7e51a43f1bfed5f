export const collaboration = `
create table internal_ids (
  source_type {text} not null,
  source_id {int} not null,
  usage {text} not null,
  last_value {int} not null,
  primary key (source_type, source_id, usage)
);

create table milestones (
  id {id},
  iid {int} not null,
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  title {text} not null,
  description {text} not null default '',
  state {text} not null default 'active',
  start_date {text},
  due_date {text},
  created_at {text} not null,
  updated_at {text} not null,
  unique (project_id, title),
  unique (group_id, title),
  unique (project_id, iid),
  unique (group_id, iid)
);
create index milestones_project_due on milestones (project_id, due_date, id);
create index milestones_group_due on milestones (group_id, due_date, id);
create index milestones_title on milestones (title);

create table labels (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  name {text} not null,
  color {text} not null,
  description {text},
  archived {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  unique (project_id, name),
  unique (group_id, name)
);
create index labels_name on labels (name);

create table label_priorities (
  label_id {int} not null references labels (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  priority {int} not null,
  primary key (label_id, project_id)
);
create index label_priorities_project on label_priorities (project_id, priority);

create table issues (
  id {id},
  iid {int} not null,
  project_id {int} not null references projects (id) on delete cascade,
  author_id {int} not null references users (id),
  title {text} not null,
  description {text},
  state {text} not null default 'opened',
  issue_type {text} not null default 'issue',
  confidential {int} not null default 0,
  discussion_locked {int},
  weight {int},
  severity {text} not null default 'UNKNOWN',
  health_status {text},
  start_date {text},
  due_date {text},
  milestone_id {int} references milestones (id) on delete set null,
  relative_position {int},
  time_estimate {int} not null default 0,
  time_spent {int} not null default 0,
  moved_to_id {int},
  duplicated_to_id {int},
  closed_at {text},
  closed_by_id {int},
  updated_by_id {int},
  user_notes_count {int} not null default 0,
  upvotes {int} not null default 0,
  downvotes {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  unique (project_id, iid)
);
create index issues_project_created on issues (project_id, created_at, id);
create index issues_project_updated on issues (project_id, updated_at, id);
create index issues_project_state_created on issues (project_id, state, created_at, id);
create index issues_project_state_updated on issues (project_id, state, updated_at, id);
create index issues_project_due on issues (project_id, due_date, id);
create index issues_project_position on issues (project_id, relative_position, id);
create index issues_open on issues (project_id, confidential) where state = 'opened';
create index issues_created on issues (created_at, id);
create index issues_updated on issues (updated_at, id);
create index issues_state_created on issues (state, created_at, id);
create index issues_state_updated on issues (state, updated_at, id);
create index issues_author_created on issues (author_id, created_at, id);
create index issues_author_state_created on issues (author_id, state, created_at, id);
create index issues_milestone on issues (milestone_id);
create index issues_closed_by on issues (closed_by_id);
create index issues_moved_to on issues (moved_to_id);
create index issues_duplicated_to on issues (duplicated_to_id);

create table issue_links (
  id {id},
  source_id {int} not null references issues (id) on delete cascade,
  target_id {int} not null references issues (id) on delete cascade,
  link_type {text} not null default 'relates_to',
  created_at {text} not null,
  updated_at {text} not null,
  unique (source_id, target_id)
);
create index issue_links_target on issue_links (target_id);

create table merge_requests (
  id {id},
  iid {int} not null,
  project_id {int} not null references projects (id) on delete cascade,
  source_project_id {int} references projects (id) on delete set null,
  author_id {int} not null references users (id),
  title {text} not null,
  description {text},
  state {text} not null default 'opened',
  source_branch {text} not null,
  target_branch {text} not null,
  draft {int} not null default 0,
  discussion_locked {int},
  allow_collaboration {int} not null default 0,
  squash {int} not null default 0,
  remove_source_branch {int} not null default 0,
  milestone_id {int} references milestones (id) on delete set null,
  approvals_before_merge {int},
  head_sha {text},
  latest_diff_id {int},
  merge_status {text} not null default 'unchecked',
  approvals_syncing {int} not null default 0,
  merge_error {text},
  auto_merge {int} not null default 0,
  merge_params {text} not null default '{}',
  merge_after {text},
  merge_user_id {int},
  merged_at {text},
  merge_commit_sha {text},
  squash_commit_sha {text},
  locked_at {text},
  rebase_started_at {text},
  prepared_at {text},
  closed_at {text},
  closed_by_id {int},
  updated_by_id {int},
  time_estimate {int} not null default 0,
  time_spent {int} not null default 0,
  user_notes_count {int} not null default 0,
  upvotes {int} not null default 0,
  downvotes {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  unique (project_id, iid)
);
create unique index merge_requests_open on merge_requests (project_id, source_project_id, source_branch, target_branch)
  where state = 'opened' or state = 'locked';
create index merge_requests_project_created on merge_requests (project_id, created_at, id);
create index merge_requests_project_updated on merge_requests (project_id, updated_at, id);
create index merge_requests_project_state_created on merge_requests (project_id, state, created_at, id);
create index merge_requests_project_state_updated on merge_requests (project_id, state, updated_at, id);
create index merge_requests_created on merge_requests (created_at, id);
create index merge_requests_updated on merge_requests (updated_at, id);
create index merge_requests_state_created on merge_requests (state, created_at, id);
create index merge_requests_state_updated on merge_requests (state, updated_at, id);
create index merge_requests_author_created on merge_requests (author_id, created_at, id);
create index merge_requests_author_state_created on merge_requests (author_id, state, created_at, id);
create index merge_requests_source on merge_requests (source_project_id, source_branch, state);
create index merge_requests_source_branch on merge_requests (source_branch, project_id);
create index merge_requests_target on merge_requests (project_id, target_branch, state);
create index merge_requests_merge_commit on merge_requests (project_id, merge_commit_sha);
create index merge_requests_squash_commit on merge_requests (project_id, squash_commit_sha);
create index merge_requests_head on merge_requests (project_id, head_sha);
create index merge_requests_milestone on merge_requests (milestone_id);
create index merge_requests_merge_user on merge_requests (merge_user_id);
create index merge_requests_closed_by on merge_requests (closed_by_id);
create index merge_requests_locked on merge_requests (state, locked_at);

create table merge_request_diffs (
  id {id},
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  head_commit_sha {text} not null,
  base_commit_sha {text} not null,
  start_commit_sha {text} not null,
  state {text} not null,
  real_size {text} not null,
  commits_count {int} not null,
  patch_id_sha {text},
  created_at {text} not null
);
create index merge_request_diffs_of on merge_request_diffs (merge_request_id, id);

create table merge_request_commits (
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  diff_id {int} not null references merge_request_diffs (id) on delete cascade,
  position {int} not null,
  sha {text} not null,
  author_email {text} not null,
  committer_email {text} not null,
  primary key (diff_id, position)
);
create index merge_request_commits_sha on merge_request_commits (sha, merge_request_id);
create index merge_request_commits_of on merge_request_commits (merge_request_id);

create table merge_request_reviewers (
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  state {text} not null default 'unreviewed',
  created_at {text} not null,
  primary key (merge_request_id, user_id)
);
create index merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_requests_closing_issues (
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  issue_id {int} not null references issues (id) on delete cascade,
  primary key (merge_request_id, issue_id)
);
create index merge_requests_closing_issues_issue on merge_requests_closing_issues (issue_id);

create table issuable_labels (
  issuable_type {text} not null,
  issuable_id {int} not null,
  label_id {int} not null references labels (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  primary key (issuable_type, issuable_id, label_id)
);
create index issuable_labels_label on issuable_labels (label_id, issuable_type, issuable_id);
create index issuable_labels_project on issuable_labels (project_id);

create table issuable_assignees (
  issuable_type {text} not null,
  issuable_id {int} not null,
  user_id {int} not null references users (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  primary key (issuable_type, issuable_id, user_id)
);
create index issuable_assignees_user on issuable_assignees (user_id, issuable_type, issuable_id);
create index issuable_assignees_project on issuable_assignees (project_id);

create table subscriptions (
  subscribable_type {text} not null,
  subscribable_id {int} not null,
  user_id {int} not null references users (id) on delete cascade,
  project_id {int} references projects (id) on delete cascade,
  subscribed {int} not null,
  created_at {text} not null,
  primary key (subscribable_type, subscribable_id, user_id)
);
create index subscriptions_user on subscriptions (user_id);
create index subscriptions_project on subscriptions (project_id);

create table user_mentions (
  id {id},
  target_type {text} not null,
  target_id {int} not null,
  note_id {int} references notes (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  project_id {int} references projects (id) on delete cascade
);
create index user_mentions_target on user_mentions (target_type, target_id, user_id);
create index user_mentions_note on user_mentions (note_id);
create index user_mentions_user on user_mentions (user_id);
create index user_mentions_project on user_mentions (project_id);

create table cross_references (
  id {id},
  target_type {text} not null,
  target_id {int} not null,
  source_type {text} not null,
  source_id {int},
  source_sha {text},
  source_key {text} not null,
  source_project_id {int} references projects (id) on delete cascade,
  target_project_id {int} references projects (id) on delete cascade,
  note_id {int} references notes (id) on delete set null,
  created_at {text} not null,
  unique (target_type, target_id, source_key)
);
create index cross_references_source on cross_references (source_type, source_id);
create index cross_references_source_sha on cross_references (source_sha);
create index cross_references_note on cross_references (note_id);
create index cross_references_source_project on cross_references (source_project_id);
create index cross_references_target_project on cross_references (target_project_id);

alter table notes add column system_action {text};
alter table notes add column updated_by_id {int};
alter table notes add column diff_refs_outdated {int} not null default 0;
create index notes_discussion on notes (discussion_id, id);
create index notes_noteable_created on notes (noteable_type, noteable_id, created_at, id);
create index notes_noteable_updated on notes (noteable_type, noteable_id, updated_at, id);

create table award_emoji (
  id {id},
  awardable_type {text} not null,
  awardable_id {int} not null,
  user_id {int} not null references users (id) on delete cascade,
  project_id {int} references projects (id) on delete cascade,
  name {text} not null,
  created_at {text} not null,
  updated_at {text} not null,
  unique (awardable_type, awardable_id, name, user_id)
);
create index award_emoji_of on award_emoji (awardable_type, awardable_id, id);
create index award_emoji_user on award_emoji (user_id, name, awardable_type, awardable_id);
create index award_emoji_project on award_emoji (project_id);

create table time_logs (
  id {id},
  issuable_type {text} not null,
  issuable_id {int} not null,
  project_id {int} not null references projects (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  time_spent {int} not null,
  summary {text},
  spent_at {text} not null,
  created_at {text} not null
);
create index time_logs_of on time_logs (issuable_type, issuable_id, id);
create index time_logs_user on time_logs (user_id);
create index time_logs_project on time_logs (project_id);

create table approval_rules (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  merge_request_id {int} references merge_requests (id) on delete cascade,
  source_rule_id {int} references approval_rules (id) on delete set null,
  name {text} not null,
  rule_type {text} not null default 'regular',
  report_type {text},
  approvals_required {int} not null,
  section {text},
  optional {int} not null default 0,
  overridden {int} not null default 0,
  applies_to_all_protected_branches {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index approval_rules_project_name on approval_rules (project_id, rule_type, name)
  where merge_request_id is null;
create unique index approval_rules_project_any on approval_rules (project_id)
  where merge_request_id is null and rule_type = 'any_approver';
create index approval_rules_project on approval_rules (project_id, merge_request_id, id);
create index approval_rules_merge_request on approval_rules (merge_request_id, id);
create index approval_rules_source on approval_rules (source_rule_id);

create table approval_rule_users (
  rule_id {int} not null references approval_rules (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  primary key (rule_id, user_id)
);
create index approval_rule_users_user on approval_rule_users (user_id);

create table approval_rule_groups (
  rule_id {int} not null references approval_rules (id) on delete cascade,
  group_id {int} not null references namespaces (id) on delete cascade,
  primary key (rule_id, group_id)
);
create index approval_rule_groups_group on approval_rule_groups (group_id);

create table approval_rule_roles (
  rule_id {int} not null references approval_rules (id) on delete cascade,
  access_level {int} not null,
  primary key (rule_id, access_level)
);

create table approval_rule_branches (
  rule_id {int} not null references approval_rules (id) on delete cascade,
  protected_ref_id {int} not null references protected_refs (id) on delete cascade,
  primary key (rule_id, protected_ref_id)
);
create index approval_rule_branches_ref on approval_rule_branches (protected_ref_id);

create table approvals (
  id {id},
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  head_sha {text} not null,
  created_at {text} not null,
  unique (merge_request_id, user_id)
);
create index approvals_user on approvals (user_id);

create table snippets (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  author_id {int} not null references users (id),
  title {text} not null,
  description {text},
  visibility {text} not null,
  file_names {text} not null default '[]',
  repository_storage {text} not null,
  disk_path {text} not null,
  repository_read_only {int} not null default 0,
  user_agent {text},
  ip_address {text},
  user_notes_count {int} not null default 0,
  upvotes {int} not null default 0,
  downvotes {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null
);
create index snippets_author on snippets (author_id, created_at, id);
create index snippets_project on snippets (project_id, created_at, id);
create index snippets_visibility on snippets (visibility, created_at, id);
create index snippets_created on snippets (created_at, id);

create table events (
  id {int} primary key,
  action {text} not null,
  author_id {int} not null references users (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  target_type {text},
  target_id {int},
  noteable_type {text},
  noteable_id {int},
  push_data {text},
  domain_event_id {int} not null,
  ordinal {int} not null default 0,
  created_at {text} not null,
  unique (domain_event_id, ordinal)
);
create index events_created on events (created_at, id);
create index events_author_created on events (author_id, created_at, id);
create index events_author_project_created on events (author_id, project_id, created_at, id);
create index events_author_project_action on events (author_id, project_id, action, created_at, id);
create index events_author_project_target on events (author_id, project_id, target_type, created_at, id);
create index events_project_created on events (project_id, created_at, id);
create index events_project_action on events (project_id, action, created_at, id);
create index events_project_target on events (project_id, target_type, created_at, id);
create index events_target on events (target_type, target_id);
create index events_noteable on events (noteable_type, noteable_id);

drop index projects_created;
drop index projects_activity;
drop index projects_updated;
drop index projects_name;
drop index projects_path;
drop index projects_stars;
create index projects_created on projects (pending_delete, created_at, id);
create index projects_activity on projects (pending_delete, last_activity_at, id);
create index projects_updated on projects (pending_delete, updated_at, id);
create index projects_name on projects (pending_delete, name, id);
create index projects_path on projects (pending_delete, path, id);
create index projects_stars on projects (pending_delete, star_count, id);

create table new_ref_intents (
  id {id},
  project_id {int},
  snippet_id {int},
  user_id {int},
  updates {text} not null,
  context {text} not null,
  created_at {text} not null
);
insert into new_ref_intents (project_id, user_id, updates, context, created_at)
  select project_id, user_id, updates, context, created_at from ref_intents order by id;
drop table ref_intents;
alter table new_ref_intents rename to ref_intents;
create index ref_intents_project on ref_intents (project_id);
create index ref_intents_snippet on ref_intents (snippet_id)
`;
