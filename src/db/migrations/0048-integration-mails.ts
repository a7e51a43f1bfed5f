export const integrationMails = `
create table integration_mails (
  key {text} primary key,
  created_at {text} not null
);
create index integration_mails_created on integration_mails (created_at);
`;
