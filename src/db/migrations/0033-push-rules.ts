export const pushRules = `
create table push_rules (
  id {id},
  project_id {int} unique references projects (id) on delete cascade,
  namespace_id {int} unique references namespaces (id) on delete cascade,
  commit_message_regex {text} not null default '',
  commit_message_negative_regex {text} not null default '',
  branch_name_regex {text} not null default '',
  author_email_regex {text} not null default '',
  file_name_regex {text} not null default '',
  max_file_size {int} not null default 0,
  deny_delete_tag {int} not null default 0,
  member_check {int} not null default 0,
  prevent_secrets {int} not null default 0,
  commit_committer_check {int} not null default 0,
  commit_committer_name_check {int} not null default 0,
  reject_unsigned_commits {int} not null default 0,
  reject_non_dco_commits {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  check ((project_id is null) <> (namespace_id is null))
);
`;
