export const lists = `
create table package_names (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  package_type {text} not null,
  name_key {text} not null,
  name {text} not null
);
create unique index package_names_name on package_names (project_id, package_type, name_key, name);
create index package_names_type on package_names (package_type, name_key, project_id);

create table package_name_parts (
  name_id {int} not null references package_names (id) on delete cascade,
  project_id {int} not null references projects (id) on delete cascade,
  package_type {text} not null,
  part {text} not null
);
create index package_name_parts_name on package_name_parts (name_id);
create index package_name_parts_project on package_name_parts (project_id, package_type, part, name_id);
create index package_name_parts_type on package_name_parts (package_type, part, name_id);

insert into package_names (project_id, package_type, name_key, name)
  select distinct project_id, package_type, name_key, lower(name) from packages;
insert into package_name_parts (name_id, project_id, package_type, part)
  with recursive starts (n) as (
    select 1 union all select n + 1 from starts where n < (select max(length(name)) from package_names)
  )
  select id, project_id, package_type, substr(name, n, 32) from package_names join starts on n <= length(name);

drop index releases_released;
drop index releases_created;
create index releases_released on releases (project_id, released_at, id, updated_at);
create index releases_created on releases (project_id, created_at, id, updated_at);

drop index issues_milestone;
create index issues_milestone on issues (milestone_id, id, state);
create index ci_jobs_runner_alive on ci_jobs (runner_id, status) where status in ('pending', 'running', 'canceling', 'scheduled', 'preparing', 'waiting_for_resource');
`;
