export const webhooks = `
create table web_hooks (
  id {id},
  uuid {text} not null,
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  name {text},
  description {text},
  triggers {text} not null,
  branch_filter_strategy {text} not null default 'wildcard',
  push_events_branch_filter {text},
  enable_ssl_verification {int} not null default 1,
  custom_webhook_template {text},
  secrets {text} not null,
  failures {int} not null default 0,
  disabled_until {text},
  created_at {text} not null,
  updated_at {text} not null
);
create index web_hooks_project on web_hooks (project_id, id) where project_id is not null;
create index web_hooks_group on web_hooks (group_id, id) where group_id is not null;
create index web_hooks_system on web_hooks (id) where project_id is null and group_id is null;

create table web_hook_payloads (
  id {id},
  event_id {int},
  scope {text} not null,
  position {int} not null,
  trigger_name {text} not null,
  header {text} not null,
  branch {text},
  payload {text} not null,
  created_at {text} not null
);
create unique index web_hook_payloads_event on web_hook_payloads (event_id, scope, position) where event_id is not null;
create index web_hook_payloads_age on web_hook_payloads (created_at, id);

create table web_hook_deliveries (
  id {id},
  hook_id {int} not null references web_hooks (id) on delete cascade,
  event_id {int} not null,
  event_uuid {text} not null,
  built {int} not null default 0,
  sent {int} not null default 0,
  created_at {text} not null
);
create index web_hook_deliveries_hook on web_hook_deliveries (hook_id, id);
create index web_hook_deliveries_event on web_hook_deliveries (event_id);
create index web_hook_deliveries_chain on web_hook_deliveries (event_uuid);

create table web_hook_logs (
  id {id},
  hook_id {int} not null references web_hooks (id) on delete cascade,
  payload_id {int} references web_hook_payloads (id) on delete set null,
  trigger_name {text} not null,
  url {text} not null,
  url_digest {text} not null,
  event_uuid {text} not null,
  idempotency_key {text} not null,
  request_headers {text} not null,
  request_data {text},
  response_status {text} not null,
  response_headers {text} not null,
  response_body {text} not null,
  execution_duration {real} not null,
  created_at {text} not null
);
create index web_hook_logs_hook on web_hook_logs (hook_id, id);
create index web_hook_logs_payload on web_hook_logs (payload_id);
create index web_hook_logs_chain on web_hook_logs (event_uuid);
create index web_hook_logs_age on web_hook_logs (created_at, id);
`;
