/** The changed object as `type id`. A job fills in the old events: a server does not start late for them. */
export const auditTargets = `
alter table audit_events add column target {text};
create index audit_events_target on audit_events (target, created_at, id) where target is not null;
insert into jobs (kind, payload, run_at, turn_at, created_at, lane)
select 'audit-events.fill-targets', '{}', long_ago, long_ago, long_ago, 'slow'
from (select '1970-01-01T00:00:00.000Z' as long_ago) as once
where exists (select 1 from audit_events);
`;
