export const jobs = `
drop index jobs_due;
alter table jobs drop column lease_until;
alter table jobs add column lane {text} not null default '';
alter table jobs add column project_id {int};
alter table jobs add column event_id {int};
alter table jobs add column order_key {text};
alter table jobs add column turn_at {text} not null default '';
alter table jobs add column recurring {int} not null default 0;
alter table jobs add column claim {text};
alter table jobs add column beat {int} not null default 0;
update jobs set turn_at = run_at;
update jobs set event_id = cast(substr(payload, 13, length(payload) - 13) as {int})
  where kind like 'event:%' and payload like '{"event_id":%}';
update jobs set recurring = 1, unique_key = null where kind = 'remove-marked' and state = 'waiting';
create index jobs_due on jobs (lane, state, run_at, id);
create index jobs_turn on jobs (lane, state, turn_at, id);
create index jobs_order on jobs (order_key, id) where order_key is not null and state <> 'dead';
create unique index jobs_recurring on jobs (kind) where recurring = 1;
create index jobs_event on jobs (event_id) where event_id is not null
`;
