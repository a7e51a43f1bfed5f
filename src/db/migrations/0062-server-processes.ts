export const serverProcesses = `
create table server_processes (
  id {id},
  beat {int} not null default 0,
  started_at {text} not null
);
alter table ref_intents add column process_id {int};
create table dropped_ref_intents (
  id {int} primary key,
  dropped_at {text} not null
);
`;
