export const featureFlags = `
create table feature_flags (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  name {text} not null,
  description {text},
  active {int} not null default 1,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index feature_flags_name on feature_flags (project_id, name);
create index feature_flags_active on feature_flags (project_id, active, name);

create table feature_flag_user_lists (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  iid {int} not null,
  name {text} not null,
  user_xids {text} not null,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index feature_flag_user_lists_iid on feature_flag_user_lists (project_id, iid);
create unique index feature_flag_user_lists_name on feature_flag_user_lists (project_id, name);

create table feature_flag_strategies (
  id {id},
  feature_flag_id {int} not null references feature_flags (id) on delete cascade,
  name {text} not null,
  parameters {text} not null default '{}',
  user_list_id {int} references feature_flag_user_lists (id) on delete cascade
);
create index feature_flag_strategies_flag on feature_flag_strategies (feature_flag_id, id);
create index feature_flag_strategies_user_list on feature_flag_strategies (user_list_id);

create table feature_flag_scopes (
  id {id},
  strategy_id {int} not null references feature_flag_strategies (id) on delete cascade,
  environment_scope {text} not null
);
create index feature_flag_scopes_strategy on feature_flag_scopes (strategy_id, id);

create table feature_flags_clients (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  token {text} not null,
  version {int} not null default 1,
  created_at {text} not null
);
create unique index feature_flags_clients_project on feature_flags_clients (project_id);
`;
