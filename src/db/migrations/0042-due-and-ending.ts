export const dueAndEnding = `
create index issues_due on issues (due_date, id) where due_date is not null;
create index access_tokens_expires on access_tokens (expires_at, id) where expires_at is not null;
create index deploy_tokens_expires on deploy_tokens (expires_at, id) where expires_at is not null;
create index ssh_keys_expires on ssh_keys (expires_at, id) where expires_at is not null;
create index invitations_age on invitations (created_at, id);
`;
