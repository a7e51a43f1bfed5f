export const memberRoles = `
create table member_roles (
  id {id},
  group_id {int} references namespaces (id) on delete cascade,
  name {text} not null,
  description {text},
  base_access_level {int} not null,
  created_at {text} not null
);
create unique index member_roles_name on member_roles (group_id, name);
create unique index member_roles_instance_name on member_roles (name) where group_id is null;

create table member_role_permissions (
  member_role_id {int} not null references member_roles (id) on delete cascade,
  permission {text} not null,
  primary key (member_role_id, permission)
);
create index member_role_permissions_permission on member_role_permissions (permission, member_role_id);

create index members_member_role on members (member_role_id) where member_role_id is not null;
create index group_links_member_role on group_links (member_role_id) where member_role_id is not null;
create index invitations_member_role on invitations (member_role_id) where member_role_id is not null;
`;
