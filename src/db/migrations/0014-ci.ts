export const ci = `
alter table commit_statuses rename to ci_jobs;
alter table ci_jobs rename column author_id to user_id;
alter table ci_jobs add column kind {text} not null default 'status';
alter table ci_jobs add column tag {int} not null default 0;
alter table ci_jobs add column protected {int} not null default 0;
alter table ci_jobs add column stage_index {int} not null default 1000000;
alter table ci_jobs add column run_when {text} not null default 'on_success';
alter table ci_jobs add column scheduling {text} not null default 'stage';
alter table ci_jobs add column coverage_regex {text};
alter table ci_jobs add column failure_reason {text};
alter table ci_jobs add column exit_code {int};
alter table ci_jobs add column updated_at {text} not null default '';
alter table ci_jobs add column queued_at {text};
alter table ci_jobs add column erased_at {text};
alter table ci_jobs add column scheduled_at {text};
alter table ci_jobs add column start_in {int};
alter table ci_jobs add column tag_list {text} not null default '[]';
alter table ci_jobs add column token_digest {text};
alter table ci_jobs add column runner_id {int};
alter table ci_jobs add column runner_manager_id {int};
alter table ci_jobs add column timeout {int};
alter table ci_jobs add column timeout_source {int};
alter table ci_jobs add column interruptible {int};
alter table ci_jobs add column auto_canceled_by_id {int};
alter table ci_jobs add column environment {text};
alter table ci_jobs add column resource_group_id {int};
alter table ci_jobs add column trace_size {int} not null default 0;
alter table ci_jobs add column debug_trace {int} not null default 0;
alter table ci_jobs add column artifacts_expire_at {text};
update ci_jobs set updated_at = coalesce(finished_at, started_at, created_at);
drop index commit_statuses_sha;
drop index commit_statuses_pipeline;
create index ci_jobs_sha on ci_jobs (project_id, sha, id);
create index ci_jobs_pipeline on ci_jobs (pipeline_id, id);
create index ci_jobs_project on ci_jobs (project_id, id);
create index ci_jobs_status on ci_jobs (project_id, status, id);
create index ci_jobs_user on ci_jobs (user_id);
create unique index ci_jobs_token on ci_jobs (token_digest) where token_digest is not null;
create index ci_jobs_runner on ci_jobs (runner_id, id) where runner_id is not null;
create index ci_jobs_alive on ci_jobs (status, updated_at) where status in ('pending', 'running', 'canceling', 'scheduled', 'preparing', 'waiting_for_resource');
create index ci_jobs_environment on ci_jobs (project_id, environment, id) where environment is not null;
create index ci_jobs_resource_group on ci_jobs (resource_group_id, status, id) where resource_group_id is not null;

alter table pipelines add column before_sha {text};
alter table pipelines add column source_sha {text};
alter table pipelines add column target_sha {text};
alter table pipelines add column merge_request_id {int} references merge_requests (id) on delete set null;
alter table pipelines add column name {text};
alter table pipelines add column yaml_errors {text};
alter table pipelines add column failure_reason {text};
alter table pipelines add column duration {int};
alter table pipelines add column protected {int} not null default 0;
alter table pipelines add column config_path {text};
alter table pipelines add column on_new_commit {text};
alter table pipelines add column on_job_failure {text};
alter table pipelines add column auto_canceled_by_id {int};
alter table pipelines add column upstream_job_id {int};
alter table pipelines add column upstream_pipeline_id {int};
alter table pipelines add column parent_id {int} references pipelines (id) on delete cascade;
alter table pipelines add column schedule_id {int};
alter table pipelines add column trigger_id {int};
alter table pipelines add column locked {int} not null default 0;
alter table pipelines add column origin {text};
create index pipelines_project on pipelines (project_id, id, source);
create index pipelines_status on pipelines (project_id, status, id);
create index pipelines_ref_status on pipelines (project_id, ref, status, id);
create index pipelines_merge_request on pipelines (merge_request_id, id) where merge_request_id is not null;
create index pipelines_upstream_job on pipelines (upstream_job_id) where upstream_job_id is not null;
create index pipelines_parent on pipelines (parent_id) where parent_id is not null;
create index pipelines_schedule on pipelines (schedule_id, id) where schedule_id is not null;
create unique index pipelines_origin on pipelines (project_id, origin) where origin is not null;
create index pipelines_user on pipelines (user_id);
create index pipelines_starter on pipelines (project_id, user_id, id);
create index pipelines_updated on pipelines (project_id, updated_at, id);
create index pipelines_locked on pipelines (project_id, ref) where locked = 1;
insert into internal_ids (source_type, source_id, usage, last_value)
  select 'project', project_id, 'pipelines', max(iid) from pipelines group by project_id;

create table ci_job_configs (
  job_id {int} not null primary key references ci_jobs (id) on delete cascade,
  options {text} not null,
  variables {text} not null,
  environment {text}
);

create table ci_job_needs (
  job_id {int} not null references ci_jobs (id) on delete cascade,
  name {text} not null,
  artifacts {int} not null default 1,
  optional {int} not null default 0,
  primary key (job_id, name)
);

create table ci_job_variables (
  job_id {int} not null references ci_jobs (id) on delete cascade,
  key {text} not null,
  value {text} not null,
  source {text} not null,
  raw {int} not null default 0,
  primary key (job_id, source, key)
);

create table ci_job_traces (
  job_id {int} not null references ci_jobs (id) on delete cascade,
  start {int} not null,
  size {int} not null,
  held {int} not null default 0,
  data {text} not null,
  primary key (job_id, start)
);

create table ci_job_artifacts (
  id {id},
  job_id {int} not null references ci_jobs (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  file_type {text} not null,
  file_format {text} not null,
  filename {text} not null,
  size {int} not null,
  sha256 {text} not null,
  accessibility {text} not null,
  expire_at {text},
  created_at {text} not null,
  unique (job_id, file_type)
);
create index ci_job_artifacts_project on ci_job_artifacts (project_id, id);
create index ci_job_artifacts_expire on ci_job_artifacts (expire_at, id) where expire_at is not null;
create index ci_job_artifacts_sha256 on ci_job_artifacts (sha256);

create table ci_pending_jobs (
  job_id {int} not null primary key references ci_jobs (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  tag_key {text} not null,
  protected {int} not null default 0,
  created_at {text} not null
);
create index ci_pending_jobs_tags on ci_pending_jobs (tag_key, project_id, job_id);
create index ci_pending_jobs_project on ci_pending_jobs (project_id, job_id);

create table ci_pipeline_variables (
  pipeline_id {int} not null references pipelines (id) on delete cascade,
  key {text} not null,
  value {text} not null,
  variable_type {text} not null,
  raw {int} not null default 0,
  primary key (pipeline_id, key)
);

create table ci_variables (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  key {text} not null,
  value {text} not null,
  variable_type {text} not null,
  protected {int} not null default 0,
  masked {int} not null default 0,
  hidden {int} not null default 0,
  raw {int} not null default 0,
  environment_scope {text} not null,
  description {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index ci_variables_project on ci_variables (project_id, key, environment_scope) where project_id is not null;
create unique index ci_variables_group on ci_variables (group_id, key, environment_scope) where group_id is not null;
create index ci_variables_place on ci_variables (project_id, group_id, id);
create unique index ci_variables_instance on ci_variables (key) where project_id is null and group_id is null;

create table ci_runners (
  id {id},
  runner_type {text} not null,
  group_id {int} references namespaces (id) on delete cascade,
  creator_id {int} references users (id) on delete set null,
  description {text},
  maintenance_note {text},
  digest {text} not null,
  short_token {text} not null,
  token_expires_at {text},
  registration {text} not null,
  paused {int} not null default 0,
  locked {int} not null default 0,
  run_untagged {int} not null default 1,
  access_level {text} not null,
  maximum_timeout {int},
  tag_list {text} not null,
  requested {int} not null default 0,
  contacted_at {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index ci_runners_digest on ci_runners (digest);
create index ci_runners_group on ci_runners (group_id, id);
create index ci_runners_type on ci_runners (runner_type, id);
create index ci_runners_creator on ci_runners (creator_id);
create index ci_runners_contacted on ci_runners (contacted_at, id);

create table ci_runner_projects (
  runner_id {int} not null references ci_runners (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  created_at {text} not null,
  primary key (runner_id, project_id)
);
create index ci_runner_projects_project on ci_runner_projects (project_id, runner_id);

create table ci_runner_managers (
  id {id},
  runner_id {int} not null references ci_runners (id) on delete cascade,
  system_id {text} not null,
  version {text},
  revision {text},
  platform {text},
  architecture {text},
  executor {text},
  ip_address {text},
  features {text} not null default '{}',
  config {text} not null default '{}',
  labels {text} not null default '{}',
  contacted_at {text},
  created_at {text} not null,
  unique (runner_id, system_id)
);

create index ci_runner_managers_contacted on ci_runner_managers (contacted_at);

create table ci_registration_tokens (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  token {text} not null,
  created_at {text} not null
);
create unique index ci_registration_tokens_instance on ci_registration_tokens (coalesce(project_id, 0)) where project_id is null and group_id is null;
create unique index ci_registration_tokens_token on ci_registration_tokens (token);
create unique index ci_registration_tokens_project on ci_registration_tokens (project_id) where project_id is not null;
create unique index ci_registration_tokens_group on ci_registration_tokens (group_id) where group_id is not null;

create table ci_pipeline_schedules (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  owner_id {int} references users (id) on delete set null,
  description {text} not null,
  ref {text} not null,
  cron {text} not null,
  cron_timezone {text} not null,
  active {int} not null default 1,
  next_run_at {text},
  inputs {text} not null default '[]',
  created_at {text} not null,
  updated_at {text} not null
);
create index ci_pipeline_schedules_project on ci_pipeline_schedules (project_id, id);
create index ci_pipeline_schedules_due on ci_pipeline_schedules (next_run_at, id) where active = 1;
create index ci_pipeline_schedules_owner on ci_pipeline_schedules (owner_id);

create table ci_pipeline_schedule_variables (
  schedule_id {int} not null references ci_pipeline_schedules (id) on delete cascade,
  key {text} not null,
  value {text} not null,
  variable_type {text} not null,
  raw {int} not null default 0,
  primary key (schedule_id, key)
);

create table ci_triggers (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  owner_id {int} not null references users (id) on delete cascade,
  description {text} not null,
  token {text} not null,
  digest {text} not null,
  last_used_at {text},
  expires_at {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index ci_triggers_digest on ci_triggers (digest);
create index ci_triggers_project on ci_triggers (project_id, id);
create index ci_triggers_owner on ci_triggers (owner_id);

create table environments (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  name {text} not null,
  slug {text} not null,
  external_url {text},
  description {text},
  tier {text} not null,
  state {text} not null,
  auto_stop_at {text},
  auto_stop_setting {text} not null,
  cluster_agent_id {int},
  kubernetes_namespace {text},
  flux_resource_path {text},
  merge_request_id {int} references merge_requests (id) on delete set null,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index environments_name on environments (project_id, name);
create index environments_project on environments (project_id, id);
create index environments_auto_stop on environments (auto_stop_at, id) where auto_stop_at is not null;
create index environments_merge_request on environments (merge_request_id);

create table deployments (
  id {id},
  iid {int} not null,
  project_id {int} not null references projects (id) on delete cascade,
  environment_id {int} not null references environments (id) on delete cascade,
  ref {text} not null,
  tag {int} not null default 0,
  sha {text} not null,
  status {text} not null,
  user_id {int} references users (id) on delete set null,
  job_id {int} references ci_jobs (id) on delete set null,
  on_stop {text},
  created_at {text} not null,
  updated_at {text} not null,
  finished_at {text},
  unique (project_id, iid)
);
create index deployments_project on deployments (project_id, id);
create index deployments_updated on deployments (project_id, updated_at, id);
create index deployments_finished on deployments (project_id, finished_at, id);
create index deployments_environment on deployments (environment_id, id);
create index deployments_job on deployments (job_id);
create index deployments_ref on deployments (project_id, ref, environment_id);
create index deployments_user on deployments (user_id);

create table freeze_periods (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  freeze_start {text} not null,
  freeze_end {text} not null,
  cron_timezone {text} not null,
  created_at {text} not null,
  updated_at {text} not null
);
create index freeze_periods_project on freeze_periods (project_id, id);

create table resource_groups (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  key {text} not null,
  process_mode {text} not null,
  job_id {int} references ci_jobs (id) on delete set null,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index resource_groups_key on resource_groups (project_id, key);
create index resource_groups_job on resource_groups (job_id);

create table ci_job_token_links (
  id {id},
  source_project_id {int} not null references projects (id) on delete cascade,
  target_project_id {int} references projects (id) on delete cascade,
  target_group_id {int} references namespaces (id) on delete cascade,
  added_by_id {int} references users (id) on delete set null,
  created_at {text} not null
);
create unique index ci_job_token_links_project on ci_job_token_links (source_project_id, target_project_id) where target_project_id is not null;
create unique index ci_job_token_links_group on ci_job_token_links (source_project_id, target_group_id) where target_group_id is not null;
create index ci_job_token_links_target_project on ci_job_token_links (target_project_id);
create index ci_job_token_links_target_group on ci_job_token_links (target_group_id);
create index ci_job_token_links_added_by on ci_job_token_links (added_by_id)
`;
