export const auditEvents = `
create table audit_events (
  id {id},
  author_id {int} not null,
  entity_type {text} not null,
  entity_id {int} not null,
  event_name {text} not null,
  details {text} not null,
  created_at {text} not null
);
create index audit_events_created on audit_events (created_at, id);
create index audit_events_entity on audit_events (entity_type, entity_id, created_at, id);
create index audit_events_entity_author on audit_events (entity_type, entity_id, author_id, created_at, id);
create index audit_events_type on audit_events (entity_type, created_at, id);
create index audit_events_author on audit_events (author_id, created_at, id);
`;
