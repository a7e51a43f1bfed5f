export const notificationMails = `
create table notification_mails (
  occasion {text} not null,
  user_id {int} not null references users (id) on delete cascade,
  project_id {int} references projects (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  created_at {text} not null,
  primary key (occasion, user_id)
);
create index notification_mails_user on notification_mails (user_id, created_at);
create index notification_mails_project on notification_mails (project_id);
create index notification_mails_group on notification_mails (group_id);
create index notification_mails_age on notification_mails (created_at);
alter table user_preferences add column notified_of_own_activity {int} not null default 0;
`;
