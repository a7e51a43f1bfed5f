export const userSessions = `
create table user_sessions (
  id {id},
  user_id {int} not null references users (id) on delete cascade,
  digest {text} not null unique,
  oauth_token_id {int} not null references oauth_tokens (id) on delete cascade,
  access_token_id {int} references access_tokens (id) on delete cascade,
  password_digest {text},
  created_at {text} not null,
  last_used_at {text} not null,
  ip {text} not null,
  user_agent {text} not null
);
create index user_sessions_user on user_sessions (user_id, id);
create index user_sessions_oauth_token on user_sessions (oauth_token_id);
create index user_sessions_access_token on user_sessions (access_token_id);
`;
