export const mirrors = `
create table pull_mirrors (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  last_error {text},
  last_update_started_at {text},
  last_update_at {text},
  last_successful_update_at {text},
  next_update_at {text},
  failures {int} not null default 0,
  host_keys {text},
  settled {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index pull_mirrors_project on pull_mirrors (project_id);
create index pull_mirrors_due on pull_mirrors (next_update_at) where next_update_at is not null;

insert into pull_mirrors (project_id, next_update_at, created_at, updated_at)
  select id, updated_at, updated_at, updated_at from projects
  where settings like '%"mirror":true%' and import_url is not null;

create table remote_mirrors (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  url {text} not null,
  enabled {int} not null default 0,
  only_protected_branches {int} not null default 0,
  keep_divergent_refs {int} not null default 0,
  mirror_branch_regex {text},
  auth_method {text} not null default 'password',
  private_key {text},
  public_key {text},
  host_keys {text},
  update_status {text} not null default 'none',
  last_error {text},
  last_update_started_at {text},
  last_update_at {text},
  last_successful_update_at {text},
  failures {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null
);
create index remote_mirrors_project on remote_mirrors (project_id, id);
`;
