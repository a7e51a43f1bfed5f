export const planning = `
create table resource_events (
  id {id},
  kind {text} not null,
  issuable_type {text} not null,
  issuable_id {int} not null,
  project_id {int} not null references projects (id) on delete cascade,
  user_id {int} references users (id) on delete set null,
  action {text},
  state {text},
  label_id {int} references labels (id) on delete set null,
  milestone_id {int} references milestones (id) on delete set null,
  weight {int},
  source_project_id {int} references projects (id) on delete set null,
  source_merge_request_id {int} references merge_requests (id) on delete set null,
  source_commit {text},
  created_at {text} not null
);
create index resource_events_of on resource_events (issuable_type, issuable_id, kind, id);
create index resource_events_project on resource_events (project_id);
create index resource_events_user on resource_events (user_id);
create index resource_events_label on resource_events (label_id);
create index resource_events_milestone on resource_events (milestone_id);
create index resource_events_source_project on resource_events (source_project_id);
create index resource_events_source_merge_request on resource_events (source_merge_request_id);

create table issue_user_agents (
  issue_id {int} primary key references issues (id) on delete cascade,
  user_agent {text} not null,
  ip_address {text} not null
);

create table todos (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  author_id {int} not null references users (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  target_type {text} not null,
  target_id {int},
  commit_id {text},
  note_id {int} references notes (id) on delete cascade,
  action {text} not null,
  state {text} not null default 'pending',
  created_at {text} not null,
  updated_at {text} not null
);
create unique index todos_once on todos (user_id, target_type, target_id, action)
  where state = 'pending' and action <> 'mentioned' and action <> 'directly_addressed';
create unique index todos_user_note on todos (user_id, note_id) where note_id is not null;
create index todos_user on todos (user_id, state, id);
create index todos_user_target on todos (user_id, target_type, target_id, state);
create index todos_target on todos (target_type, target_id);
create index todos_author on todos (author_id);
create index todos_project on todos (project_id);
create index todos_note on todos (note_id);

create table draft_notes (
  id {id},
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  author_id {int} not null references users (id) on delete cascade,
  discussion_id {text},
  resolve_discussion {int} not null default 0,
  note {text} not null,
  commit_id {text},
  position {text},
  created_at {text} not null,
  updated_at {text} not null
);
create index draft_notes_of on draft_notes (merge_request_id, author_id, id);
create index draft_notes_author on draft_notes (author_id);

create table external_status_checks (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  name {text} not null,
  external_url {text} not null,
  shared_secret {text},
  created_at {text} not null,
  updated_at {text} not null,
  unique (project_id, name),
  unique (project_id, external_url)
);

create table external_status_check_branches (
  check_id {int} not null references external_status_checks (id) on delete cascade,
  protected_ref_id {int} not null references protected_refs (id) on delete cascade,
  primary key (check_id, protected_ref_id)
);
create index external_status_check_branches_ref on external_status_check_branches (protected_ref_id);

create table status_check_responses (
  id {id},
  external_status_check_id {int} not null references external_status_checks (id) on delete cascade,
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  sha {text} not null,
  status {text} not null,
  created_at {text} not null
);
create index status_check_responses_of on status_check_responses (merge_request_id, sha, external_status_check_id, id);
create index status_check_responses_check on status_check_responses (external_status_check_id);

create table merge_request_context_commits (
  id {id},
  merge_request_id {int} not null references merge_requests (id) on delete cascade,
  sha {text} not null,
  created_at {text} not null,
  unique (merge_request_id, sha)
);
`;
