export const chatNames = `
create table chat_names (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  integration_id {int} not null references integrations (id) on delete cascade,
  team_id {text} not null,
  team_domain {text},
  chat_id {text} not null,
  chat_name {text},
  created_at {text} not null,
  last_used_at {text},
  unique (integration_id, team_id, chat_id)
);
create index chat_names_user on chat_names (user_id);
`;
