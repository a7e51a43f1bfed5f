import { type Static, Type } from 'typebox';
import { parseJson } from '../db/columns.ts';
import { AUDIT_ENTITY_TYPES, type AuditEvent } from '../db/tables/audit-events.table.ts';
import { Enum, Instant, Nullable } from '../http/http.schema.ts';

const Details = Type.Object(
  {
    author_name: Type.String({ description: 'Name of the author at that time.' }),
    author_email: Nullable(
      Type.String({ description: 'E-mail address of the author at that time; null for authors that are not users.' }),
    ),
    author_class: Type.String({ description: 'Type of the author.', examples: ['User'] }),
    impersonated_by: Type.Optional(
      Type.String({ description: 'Administrator who impersonated the author.', examples: ['Administrator'] }),
    ),
    target_id: Nullable(
      Type.Union([Type.Integer(), Type.String()], { description: 'Id of the changed object, if it has one.' }),
    ),
    target_type: Type.String({ description: 'Type of the changed object.', examples: ['User'] }),
    target_details: Type.String({ description: 'Name of the changed object at that time.', examples: ['Ana Silva'] }),
    custom_message: Type.String({ description: 'What happened.', examples: ['Membership created'] }),
    ip_address: Nullable(
      Type.String({ description: 'IP address of the request; null for background work of the server.' }),
    ),
    entity_path: Type.String({ description: 'Path of the entity at that time.', examples: ['tools/parser'] }),
  },
  {
    additionalProperties: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    description:
      'Author, object and origin of the change, with names as of that time. Never contains values of secrets.',
  },
);

/** An audit event (public documentation, "Audit events API"). */
export const AuditEventEntity = Type.Object({
  id: Type.Integer(),
  author_id: Type.Integer({ description: 'Id of the author; negative for authors that are not users.' }),
  entity_id: Type.Integer({ description: 'Id of the entity that the event is about.' }),
  entity_type: Enum(AUDIT_ENTITY_TYPES, { description: 'Type of the entity that the event is about.' }),
  event_name: Type.String({ description: 'Name of the kind of event.', examples: ['member_created'] }),
  details: Details,
  created_at: Instant(),
});

/** An audit event as responses show it. */
export const presentAuditEvent = (row: AuditEvent): Static<typeof AuditEventEntity> => ({
  id: row.id,
  author_id: row.author_id,
  entity_id: row.entity_id,
  entity_type: row.entity_type,
  event_name: row.event_name,
  details: parseJson<Static<typeof Details>>(row.details),
  created_at: row.created_at,
});
