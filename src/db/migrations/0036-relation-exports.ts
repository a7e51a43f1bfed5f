export const relationExports = `
create table relation_exports (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  relation {text} not null,
  status {int} not null,
  batched {int} not null,
  user_id {int} references users (id) on delete set null,
  batches_count {int} not null default 0,
  total_objects_count {int} not null default 0,
  error {text},
  sha256 {text},
  size {int},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index relation_exports_project on relation_exports (project_id, relation);
create unique index relation_exports_group on relation_exports (group_id, relation);
create index relation_exports_user on relation_exports (user_id);
create index relation_exports_updated on relation_exports (updated_at);
create index relation_exports_sha256 on relation_exports (sha256) where sha256 is not null;

create table relation_export_batches (
  id {id},
  export_id {int} not null references relation_exports (id) on delete cascade,
  batch_number {int} not null,
  status {int} not null,
  objects_count {int} not null,
  last_key {int} not null,
  error {text},
  sha256 {text} not null,
  size {int} not null,
  updated_at {text} not null
);
create unique index relation_export_batches_number on relation_export_batches (export_id, batch_number);
create index relation_export_batches_sha256 on relation_export_batches (sha256);

create table relation_export_users (
  export_id {int} not null references relation_exports (id) on delete cascade,
  user_id {int} not null references users (id) on delete cascade,
  primary key (export_id, user_id)
);
create index relation_export_users_user on relation_export_users (user_id);
`;
