export const placeholders = `
create table bulk_imports (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  source_url {text} not null,
  token {text},
  status {int} not null default 0,
  has_failures {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null
);
create index bulk_imports_user on bulk_imports (user_id, id);

create table bulk_import_entities (
  id {id},
  bulk_import_id {int} not null references bulk_imports (id) on delete cascade,
  parent_id {int} references bulk_import_entities (id) on delete cascade,
  entity_type {text} not null,
  source_full_path {text} not null,
  destination_name {text} not null,
  destination_slug {text} not null,
  destination_namespace {text} not null,
  namespace_id {int} references namespaces (id) on delete set null,
  project_id {int} references projects (id) on delete set null,
  status {int} not null default 0,
  migrate_projects {int} not null default 1,
  migrate_memberships {int} not null default 1,
  has_failures {int} not null default 0,
  disk_path {text} not null,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index bulk_import_entities_source on bulk_import_entities (bulk_import_id, entity_type, source_full_path, destination_namespace, destination_slug);
create index bulk_import_entities_parent on bulk_import_entities (parent_id);
create index bulk_import_entities_namespace on bulk_import_entities (namespace_id);
create index bulk_import_entities_project on bulk_import_entities (project_id);

create table bulk_import_trackers (
  entity_id {int} not null references bulk_import_entities (id) on delete cascade,
  relation {text} not null,
  batch {int} not null default 1,
  line {int} not null default 0,
  source {int} not null default 0,
  fetched {int} not null default 0,
  imported {int} not null default 0,
  done {int} not null default 0,
  primary key (entity_id, relation)
);

create table bulk_import_failures (
  id {id},
  entity_id {int} not null references bulk_import_entities (id) on delete cascade,
  relation {text} not null,
  exception_class {text} not null,
  exception_message {text} not null,
  source_title {text},
  created_at {text} not null
);
create index bulk_import_failures_entity on bulk_import_failures (entity_id, id);

create table import_source_users (
  id {id},
  namespace_id {int} not null references namespaces (id) on delete cascade,
  source_hostname {text} not null,
  import_type {text} not null,
  source_user_identifier {text} not null,
  source_username {text},
  source_name {text},
  placeholder_user_id {int} references users (id) on delete set null,
  reassign_to_user_id {int} references users (id) on delete set null,
  reassigned_by_user_id {int} references users (id) on delete set null,
  status {int} not null default 0,
  reassignment_token {text},
  reassignment_error {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index import_source_users_source on import_source_users (namespace_id, source_hostname, import_type, source_user_identifier);
create index import_source_users_status on import_source_users (namespace_id, status, id);
create index import_source_users_placeholder on import_source_users (placeholder_user_id);
create index import_source_users_reassign_to on import_source_users (reassign_to_user_id);
create index import_source_users_reassigned_by on import_source_users (reassigned_by_user_id);
create unique index import_source_users_token on import_source_users (reassignment_token);

create table import_placeholder_memberships (
  id {id},
  source_user_id {int} not null references import_source_users (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  project_id {int} references projects (id) on delete cascade,
  access_level {int} not null,
  expires_at {text},
  created_at {text} not null
);
create unique index import_placeholder_memberships_group on import_placeholder_memberships (source_user_id, group_id);
create unique index import_placeholder_memberships_project on import_placeholder_memberships (source_user_id, project_id);
create index import_placeholder_memberships_of_group on import_placeholder_memberships (group_id);
create index import_placeholder_memberships_of_project on import_placeholder_memberships (project_id);
`;
