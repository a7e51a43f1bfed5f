export const packages = `
create table packages (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  package_type {text} not null,
  name {text} not null,
  version {text},
  name_key {text} not null,
  version_key {text} not null,
  status {text} not null default 'default',
  status_message {text},
  creator_id {int},
  metadata {text} not null default '{}',
  created_at {text} not null,
  updated_at {text} not null,
  last_downloaded_at {text}
);
create unique index packages_version on packages (project_id, package_type, name_key, version_key) where status <> 'pending_destruction';
create index packages_name on packages (package_type, name_key, project_id, status, updated_at, id);
create index packages_created on packages (project_id, created_at, id, status, version);
create index packages_project_name on packages (project_id, name, id, status, version);
create index packages_project_version on packages (project_id, version, created_at, id, status);
create index packages_project_type on packages (project_id, package_type, created_at, id, status, version);
create index packages_all_created on packages (created_at, id, status, version, project_id);
create index packages_all_name on packages (name, id, status, version, project_id);
create index packages_all_version on packages (version, created_at, id, status, project_id);
create index packages_all_type on packages (package_type, created_at, id, status, version, project_id);
create index packages_creator on packages (creator_id);
create index packages_ending on packages (id) where status = 'pending_destruction';

create table package_files (
  id {id},
  package_id {int} not null references packages (id) on delete cascade,
  file_name {text} not null,
  status {text} not null default 'default',
  size {int} not null,
  sha256 {text} not null,
  md5 {text},
  sha1 {text},
  metadata {text} not null default '{}',
  created_at {text} not null,
  updated_at {text} not null
);
create index package_files_package on package_files (package_id, file_name, id);
create index package_files_sha256 on package_files (sha256);
create index package_files_ending on package_files (id) where status = 'pending_destruction';

create table package_pipelines (
  id {id},
  package_id {int} not null references packages (id) on delete cascade,
  package_file_id {int} references package_files (id) on delete cascade,
  pipeline_id {int} not null references pipelines (id) on delete cascade
);
create index package_pipelines_package on package_pipelines (package_id, package_file_id, pipeline_id);
create index package_pipelines_file on package_pipelines (package_file_id, pipeline_id);
create index package_pipelines_pipeline on package_pipelines (pipeline_id);

create table package_tags (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  package_id {int} not null references packages (id) on delete cascade,
  package_type {text} not null,
  name_key {text} not null,
  name {text} not null,
  created_at {text} not null,
  updated_at {text} not null
);
create index package_tags_package on package_tags (package_id, name);
create unique index package_tags_npm on package_tags (project_id, name_key, name) where package_type = 'npm';

create table package_protection_rules (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  package_name_pattern {text} not null,
  package_type {text} not null,
  minimum_access_level_for_push {text},
  minimum_access_level_for_delete {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index package_protection_rules_pattern on package_protection_rules (project_id, package_type, package_name_pattern);
`;
