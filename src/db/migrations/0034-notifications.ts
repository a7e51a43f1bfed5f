export const notifications = `
create table notification_settings (
  user_id {int} not null references users (id) on delete cascade,
  source_type {text} not null,
  source_id {int} not null,
  level {int} not null,
  events {text} not null default '{}',
  notification_email {text},
  created_at {text} not null,
  updated_at {text} not null,
  primary key (user_id, source_type, source_id)
);
create index notification_settings_source on notification_settings (source_type, source_id, level);
`;
