import { Type } from 'typebox';
import { AUDIT_ENTITY_TYPES } from '../../../db/tables/audit-events.table.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

const Details = Type.Object(
  {
    author_name: Type.String({ description: 'What the author was called then.' }),
    author_email: Nullable(Type.String({ description: 'Address of the author then; null for one who is no user.' })),
    author_class: Type.String({ description: 'What the author is.', examples: ['User'] }),
    impersonated_by: Type.Optional(
      Type.String({ description: 'The administrator who acted as the author.', examples: ['Administrator'] }),
    ),
    target_id: Nullable(
      Type.Union([Type.Integer(), Type.String()], { description: 'Id of what was changed, where it has one.' }),
    ),
    target_type: Type.String({ description: 'What kind of thing was changed.', examples: ['User'] }),
    target_details: Type.String({ description: 'What that was called then.', examples: ['Ana Silva'] }),
    custom_message: Type.String({ description: 'What happened.', examples: ['Membership created'] }),
    ip_address: Nullable(Type.String({ description: 'Where the request came from; null for the work of the server.' })),
    entity_path: Type.String({ description: 'Path of the entity then.', examples: ['tools/parser'] }),
  },
  {
    additionalProperties: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    description: 'Who changed what, from where, with names as they were then. Values of secrets are never among it.',
  },
);

/** An audit event (public documentation, "Audit events API"). */
export const AuditEventEntity = Type.Object({
  id: Type.Integer(),
  author_id: Type.Integer({ description: 'Id of the user who did it; below zero where it was no user.' }),
  entity_id: Type.Integer({ description: 'Id of what the change is about.' }),
  entity_type: Enum(AUDIT_ENTITY_TYPES, { description: 'What the change is about.' }),
  event_name: Type.String({ description: 'What the platform calls such a change.', examples: ['member_created'] }),
  details: Details,
  created_at: Instant(),
});
