/** What servers with a test bench would have sent, and how jobs of projects end without a runner. */
export const testBench = `
create table bench_mails (
  id {id},
  created_at {text} not null,
  message_id {text} not null unique,
  recipient {text} not null,
  sender {text} not null,
  subject {text} not null,
  body {text} not null,
  html {text}
);
create table bench_deliveries (
  id {id},
  created_at {text} not null,
  kind {text} not null,
  hook_id {int},
  url {text} not null,
  event {text},
  headers {text} not null,
  body {text} not null
);
create table bench_job_rules (
  project_id {int} primary key references projects (id) on delete cascade,
  rules {text} not null
);
`;
