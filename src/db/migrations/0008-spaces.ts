export const spaces = `
create table badges (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  name {text},
  link_url {text} not null,
  image_url {text} not null,
  created_at {text} not null,
  updated_at {text} not null
);
create index badges_project on badges (project_id, id);
create index badges_group on badges (group_id, id);

create table uploads (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  secret {text} not null,
  filename {text} not null,
  sha256 {text} not null,
  size {int} not null,
  uploaded_by_id {int} references users (id) on delete set null,
  created_at {text} not null,
  unique (secret, filename)
);
create index uploads_project on uploads (project_id, id);
create index uploads_group on uploads (group_id, id);
create index uploads_sha256 on uploads (sha256);
create index uploads_uploaded_by on uploads (uploaded_by_id);
create index users_avatar on users (avatar);
create index namespaces_avatar on namespaces (avatar);
create index projects_avatar on projects (avatar);
create index topics_avatar on topics (avatar);

create table group_protected_branches (
  id {id},
  group_id {int} not null references namespaces (id) on delete cascade,
  name {text} not null,
  allow_force_push {int} not null default 0,
  code_owner_approval_required {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  unique (group_id, name)
);

create table group_protected_branch_levels (
  id {id},
  group_protected_branch_id {int} not null references group_protected_branches (id) on delete cascade,
  action {text} not null,
  access_level {int} not null,
  unique (group_protected_branch_id, action, access_level)
);

create table invitations (
  id {id},
  source_type {text} not null,
  source_id {int} not null,
  email {text} not null,
  access_level {int} not null,
  member_role_id {int},
  expires_at {text},
  created_by_id {int} references users (id) on delete set null,
  created_at {text} not null
);
create unique index invitations_source_email on invitations (source_type, source_id, lower(email));
create index invitations_source on invitations (source_type, source_id, id);
create index invitations_email on invitations (lower(email));
create index invitations_created_by on invitations (created_by_id);

create table user_follows (
  follower_id {int} not null references users (id) on delete cascade,
  followed_id {int} not null references users (id) on delete cascade,
  created_at {text} not null,
  primary key (follower_id, followed_id)
);
create index user_follows_followed on user_follows (followed_id, follower_id);

create table user_preferences (
  user_id {int} not null primary key references users (id) on delete cascade,
  view_diffs_file_by_file {int} not null default 0,
  show_whitespace_in_diffs {int} not null default 1,
  pass_user_identities_to_ci_jwt {int} not null default 0
);

create index users_last_activity on users (last_activity_on, id);

create table gpg_keys (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  key {text} not null,
  fingerprint {text} not null unique,
  created_at {text} not null
);
create index gpg_keys_user on gpg_keys (user_id, id);

create table gpg_key_ids (
  id {id},
  gpg_key_id {int} not null references gpg_keys (id) on delete cascade,
  keyid {text} not null,
  is_primary {int} not null,
  unique (gpg_key_id, keyid)
);
create index gpg_key_ids_keyid on gpg_key_ids (keyid);

alter table users add column provisioned_by_group_id {int} references namespaces (id) on delete set null;
alter table users add column provisioned_by_project_id {int} references projects (id) on delete set null;
create index users_kind on users (kind, id);
create index users_provisioned_by_group on users (provisioned_by_group_id, id);
create index users_provisioned_by_project on users (provisioned_by_project_id, id);

create table project_aliases (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  name {text} not null unique
);
create index project_aliases_project on project_aliases (project_id);
`;
