export const broadcastMessages = `
create table broadcast_messages (
  id {id},
  message {text} not null,
  starts_at {text} not null,
  ends_at {text} not null,
  font {text} not null,
  theme {text} not null,
  target_access_levels {text} not null default '[]',
  target_path {text},
  broadcast_type {text} not null,
  dismissable {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null
);
create index broadcast_messages_ends on broadcast_messages (ends_at, id);

create table security_policy_settings (
  id {int} primary key,
  csp_namespace_id {int} references namespaces (id) on delete set null,
  updated_at {text} not null
);
create index security_policy_settings_namespace on security_policy_settings (csp_namespace_id);
`;
