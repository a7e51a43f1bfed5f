export const integrations = `
create table integrations (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  slug {text} not null,
  active {int} not null default 0,
  flags {text} not null default '{}',
  settings {text} not null,
  failures {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null,
  check ((project_id is null) <> (group_id is null))
);
create unique index integrations_project on integrations (project_id, slug) where project_id is not null;
create unique index integrations_group on integrations (group_id, slug) where group_id is not null;
`;
