export const exactness = `
create table user_identities (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  provider {text} not null,
  extern_uid {text} not null,
  created_at {text} not null,
  updated_at {text} not null,
  unique (user_id, provider)
);
create unique index user_identities_uid on user_identities (provider, lower(extern_uid));

alter table namespaces add column file_template_project_id {int} references projects (id) on delete set null;
create index namespaces_file_template on namespaces (file_template_project_id);
update namespaces set settings = replace(settings, '"auto_ban_user_on_excessive_projects_downloads"',
  '"auto_ban_user_on_excessive_projects_download"');

insert into namespaces (kind, name, path, full_path, lineage, owner_id, visibility, created_at, updated_at)
  select 'user', name, username, username, '', id, 'public', created_at, created_at from users
  where kind in ('project_bot', 'group_bot')
  and not exists (select 1 from namespaces where namespaces.owner_id = users.id);
update users set projects_limit = 0 where kind in ('project_bot', 'group_bot');
update namespaces set lineage = '/' || id || '/' where lineage = '';

alter table projects add column marked_for_deletion_on {text};
alter table projects add column marked_by_id {int} references users (id) on delete set null;
alter table projects add column in_deletion {int} not null default 0;
create index projects_marked on projects (marked_for_deletion_on, id) where marked_for_deletion_on is not null;
create index projects_marked_by on projects (marked_by_id) where marked_by_id is not null;
alter table namespaces add column marked_by_id {int} references users (id) on delete set null;
alter table namespaces add column in_deletion {int} not null default 0;
create index namespaces_marked on namespaces (marked_for_deletion_on, id) where marked_for_deletion_on is not null;
create index namespaces_marked_by on namespaces (marked_by_id) where marked_by_id is not null;
`;
