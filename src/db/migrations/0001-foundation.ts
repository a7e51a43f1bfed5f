export const foundation = `
create table users (
  id {id},
  username {text} not null,
  name {text} not null,
  email {text} not null,
  kind {text} not null default 'human',
  state {text} not null default 'active',
  admin {int} not null default 0,
  external {int} not null default 0,
  auditor {int} not null default 0,
  private_profile {int} not null default 0,
  can_create_group {int} not null default 1,
  projects_limit {int} not null default 100000,
  password_hash {text},
  public_email {text},
  commit_email {text},
  notification_email {text},
  bio {text} not null default '',
  location {text} not null default '',
  linkedin {text} not null default '',
  twitter {text} not null default '',
  discord {text} not null default '',
  website_url {text} not null default '',
  github {text} not null default '',
  job_title {text} not null default '',
  pronouns {text},
  organization {text} not null default '',
  note {text},
  theme_id {int},
  color_scheme_id {int} not null default 1,
  preferred_language {text} not null default 'en',
  avatar {text},
  created_by_id {int},
  created_at {text} not null,
  updated_at {text} not null,
  confirmed_at {text},
  last_sign_in_at {text},
  current_sign_in_at {text},
  last_activity_on {text}
);
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_name on users (name);

create table emails (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  email {text} not null,
  confirmed_at {text},
  created_at {text} not null
);
create unique index emails_email on emails (lower(email));
create index emails_user on emails (user_id);

create table user_statuses (
  user_id {int} not null primary key references users (id) on delete cascade,
  emoji {text} not null,
  message {text} not null,
  availability {text} not null,
  clear_status_at {text}
);

create table ssh_keys (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  title {text} not null,
  key {text} not null,
  fingerprint {text} not null unique,
  md5_fingerprint {text} not null,
  usage_type {text} not null default 'auth_and_signing',
  created_at {text} not null,
  expires_at {text},
  last_used_at {text}
);
create index ssh_keys_user on ssh_keys (user_id);
create index ssh_keys_md5 on ssh_keys (md5_fingerprint);

create table access_tokens (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  name {text} not null,
  description {text},
  digest {text} not null unique,
  scopes {text} not null,
  impersonation {int} not null default 0,
  revoked {int} not null default 0,
  expires_at {text},
  created_at {text} not null,
  last_used_at {text},
  last_used_ips {text} not null default '[]',
  resource_type {text},
  resource_id {int},
  family_id {int}
);
create index access_tokens_user on access_tokens (user_id);
create index access_tokens_resource on access_tokens (resource_type, resource_id);
create index access_tokens_family on access_tokens (family_id);

create table oauth_applications (
  id {id},
  uid {text} not null unique,
  secret_digest {text} not null,
  name {text} not null,
  redirect_uri {text} not null,
  scopes {text} not null,
  confidential {int} not null default 1,
  owner_id {int} references users (id) on delete cascade,
  created_at {text} not null
);

create table oauth_tokens (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  application_id {int} references oauth_applications (id) on delete cascade,
  digest {text} not null unique,
  refresh_digest {text} unique,
  scopes {text} not null,
  expires_in {int},
  created_at {text} not null,
  revoked_at {text}
);
create index oauth_tokens_user on oauth_tokens (user_id);
create index oauth_tokens_application on oauth_tokens (application_id);

create table deploy_tokens (
  id {id},
  name {text} not null,
  username {text} not null,
  digest {text} not null unique,
  scopes {text} not null,
  revoked {int} not null default 0,
  expires_at {text},
  created_at {text} not null,
  creator_id {int},
  source_type {text} not null,
  source_id {int} not null
);
create index deploy_tokens_source on deploy_tokens (source_type, source_id);

create table deploy_keys (
  id {id},
  title {text} not null,
  key {text} not null,
  fingerprint {text} not null unique,
  md5_fingerprint {text} not null default '',
  public {int} not null default 0,
  user_id {int},
  created_at {text} not null,
  expires_at {text},
  last_used_at {text}
);

create table namespaces (
  id {id},
  kind {text} not null,
  name {text} not null,
  path {text} not null,
  full_path {text} not null,
  parent_id {int} references namespaces (id) on delete cascade,
  lineage {text} not null,
  owner_id {int} references users (id) on delete cascade,
  description {text} not null default '',
  visibility {text} not null,
  avatar {text},
  request_access_enabled {int} not null default 1,
  settings {text} not null default '{}',
  archived {int} not null default 0,
  marked_for_deletion_on {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index namespaces_full_path on namespaces (lower(full_path));
create index namespaces_parent on namespaces (parent_id);
create index namespaces_lineage on namespaces (lineage);
create index namespaces_owner on namespaces (owner_id);
create index namespaces_name on namespaces (kind, name, id);

create table redirect_routes (
  id {id},
  path {text} not null,
  source_type {text} not null,
  source_id {int} not null
);
create unique index redirect_routes_path on redirect_routes (lower(path));
create index redirect_routes_source on redirect_routes (source_type, source_id);

create table members (
  id {id},
  source_type {text} not null,
  source_id {int} not null,
  user_id {int} not null references users (id) on delete cascade,
  access_level {int} not null,
  member_role_id {int},
  created_by_id {int},
  expires_at {text},
  state {text} not null default 'active',
  notification_level {int} not null default 3,
  created_at {text} not null,
  updated_at {text},
  unique (source_type, source_id, user_id)
);
create index members_user on members (user_id, source_type, source_id);

create table group_links (
  id {id},
  source_type {text} not null,
  source_id {int} not null,
  group_id {int} not null references namespaces (id) on delete cascade,
  group_access {int} not null,
  member_role_id {int},
  expires_at {text},
  created_at {text} not null,
  unique (source_type, source_id, group_id)
);
create index group_links_group on group_links (group_id, source_type, source_id);

create table access_requests (
  id {id},
  source_type {text} not null,
  source_id {int} not null,
  user_id {int} not null references users (id) on delete cascade,
  created_at {text} not null,
  unique (source_type, source_id, user_id)
);
create index access_requests_user on access_requests (user_id);

create table projects (
  id {id},
  namespace_id {int} not null references namespaces (id),
  name {text} not null,
  path {text} not null,
  full_path {text} not null,
  description {text},
  visibility {text} not null,
  repository_storage {text} not null,
  disk_path {text} not null,
  repository_read_only {int} not null default 0,
  creator_id {int},
  forked_from_id {int},
  fork_root_id {int},
  archived {int} not null default 0,
  avatar {text},
  star_count {int} not null default 0,
  request_access_enabled {int} not null default 1,
  settings {text} not null default '{}',
  statistics {text} not null default '{}',
  import_url {text},
  import_status {text} not null default 'none',
  import_error {text},
  pending_delete {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  last_activity_at {text} not null,
  repository_size {int} not null default 0,
  storage_size {int} not null default 0,
  repository_access_level {text} not null default 'enabled',
  issues_access_level {text} not null default 'enabled',
  merge_requests_access_level {text} not null default 'enabled',
  forking_access_level {text} not null default 'enabled',
  wiki_access_level {text} not null default 'enabled',
  builds_access_level {text} not null default 'enabled',
  snippets_access_level {text} not null default 'enabled',
  pages_access_level {text} not null default 'private',
  analytics_access_level {text} not null default 'enabled',
  container_registry_access_level {text} not null default 'enabled',
  security_and_compliance_access_level {text} not null default 'private',
  releases_access_level {text} not null default 'enabled',
  environments_access_level {text} not null default 'enabled',
  feature_flags_access_level {text} not null default 'enabled',
  infrastructure_access_level {text} not null default 'enabled',
  monitor_access_level {text} not null default 'enabled',
  model_experiments_access_level {text} not null default 'enabled',
  model_registry_access_level {text} not null default 'enabled',
  package_registry_access_level {text} not null default 'enabled',
  requirements_access_level {text} not null default 'enabled'
);
create unique index projects_full_path on projects (lower(full_path));
create unique index projects_namespace_name on projects (namespace_id, name);
create index projects_forked_from on projects (forked_from_id);
create index projects_fork_root on projects (fork_root_id);
create index projects_created on projects (created_at, id);
create index projects_activity on projects (last_activity_at, id);
create index projects_updated on projects (updated_at, id);
create index projects_name on projects (name, id);
create index projects_path on projects (path, id);
create index projects_stars on projects (star_count, id);
create index projects_visibility on projects (visibility, id);

create table deploy_key_projects (
  deploy_key_id {int} not null references deploy_keys (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  can_push {int} not null default 0,
  created_at {text} not null,
  primary key (deploy_key_id, project_id)
);
create index deploy_key_projects_project on deploy_key_projects (project_id);

create table topics (
  id {id},
  name {text} not null,
  title {text} not null,
  description {text},
  avatar {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index topics_name on topics (lower(name));

create table project_topics (
  project_id {int} not null references projects (id) on delete cascade,
  topic_id {int} not null references topics (id) on delete cascade,
  primary key (project_id, topic_id)
);
create index project_topics_topic on project_topics (topic_id, project_id);

create table project_languages (
  project_id {int} not null references projects (id) on delete cascade,
  name {text} not null,
  bytes {int} not null,
  primary key (project_id, name)
);
create index project_languages_name on project_languages (lower(name), project_id);

create table project_stars (
  project_id {int} not null references projects (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  created_at {text} not null,
  primary key (project_id, user_id)
);
create index project_stars_user on project_stars (user_id);

create table custom_attributes (
  source_type {text} not null,
  source_id {int} not null,
  key {text} not null,
  value {text} not null,
  primary key (source_type, source_id, key)
);

create table protected_refs (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  kind {text} not null,
  name {text} not null,
  allow_force_push {int} not null default 0,
  code_owner_approval_required {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  unique (project_id, kind, name)
);

create table protected_ref_levels (
  id {id},
  protected_ref_id {int} not null references protected_refs (id) on delete cascade,
  action {text} not null,
  access_level {int},
  user_id {int},
  group_id {int},
  deploy_key_id {int}
);
create index protected_ref_levels_ref on protected_ref_levels (protected_ref_id);

create table ref_intents (
  id {id},
  project_id {int} not null,
  user_id {int},
  updates {text} not null,
  context {text} not null,
  created_at {text} not null
);

create table notes (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  noteable_type {text} not null,
  noteable_id {int},
  commit_id {text},
  discussion_id {text} not null,
  type {text},
  author_id {int} not null references users (id),
  note {text} not null,
  position {text},
  system {int} not null default 0,
  internal {int} not null default 0,
  resolved_at {text},
  resolved_by_id {int},
  created_at {text} not null,
  updated_at {text} not null
);
create index notes_commit on notes (project_id, commit_id, id);
create index notes_noteable on notes (noteable_type, noteable_id, id);
create index notes_author on notes (author_id);

create table pipelines (
  id {id},
  iid {int} not null,
  project_id {int} not null references projects (id) on delete cascade,
  sha {text} not null,
  ref {text} not null,
  tag {int} not null default 0,
  source {text} not null,
  status {text} not null,
  user_id {int},
  created_at {text} not null,
  updated_at {text} not null,
  started_at {text},
  finished_at {text},
  unique (project_id, iid)
);
create index pipelines_sha on pipelines (project_id, sha, id);
create index pipelines_ref on pipelines (project_id, ref, id);

create table commit_statuses (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  pipeline_id {int} not null references pipelines (id) on delete cascade,
  sha {text} not null,
  ref {text} not null,
  name {text} not null,
  stage {text} not null default 'external',
  status {text} not null,
  target_url {text},
  description {text},
  coverage {real},
  allow_failure {int} not null default 0,
  retried {int} not null default 0,
  author_id {int} not null references users (id),
  created_at {text} not null,
  started_at {text},
  finished_at {text}
);
create index commit_statuses_sha on commit_statuses (project_id, sha, id);
create index commit_statuses_pipeline on commit_statuses (pipeline_id);

create table lfs_objects (
  project_id {int} not null references projects (id) on delete cascade,
  oid {text} not null,
  size {int} not null,
  created_at {text} not null,
  primary key (project_id, oid)
);
create index lfs_objects_oid on lfs_objects (oid);

create table lfs_locks (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  path {text} not null,
  ref {text},
  locked_at {text} not null,
  unique (project_id, path)
);

create table domain_events (
  id {id},
  type {text} not null,
  project_id {int},
  group_id {int},
  actor_id {int},
  payload {text} not null,
  created_at {text} not null
);
create index domain_events_actor on domain_events (actor_id, type, created_at);

create table jobs (
  id {id},
  kind {text} not null,
  payload {text} not null,
  unique_key {text},
  state {text} not null default 'waiting',
  attempts {int} not null default 0,
  run_at {text} not null,
  lease_until {text},
  last_error {text},
  created_at {text} not null
);
create index jobs_due on jobs (state, run_at, id);
create unique index jobs_waiting on jobs (unique_key) where state = 'waiting' and unique_key is not null;

create table instance_values (
  key {text} not null primary key,
  value {text} not null,
  updated_at {text} not null default ''
)
`;
