export const ssh = `
create table group_ssh_certificates (
  id {id},
  group_id {int} not null references namespaces (id) on delete cascade,
  title {text} not null,
  key {text} not null,
  fingerprint {text} not null unique,
  created_at {text} not null
);
create index group_ssh_certificates_group on group_ssh_certificates (group_id, id);
`;
