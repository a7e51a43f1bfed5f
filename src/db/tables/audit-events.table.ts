import type { Selectable } from 'kysely';
import type { Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** What the platform calls the things that audit events are about. */
export const AUDIT_ENTITY_TYPES = ['User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope'] as const;
export type AuditEntityType = (typeof AUDIT_ENTITY_TYPES)[number];

/** A change of access, tokens, protection or settings. Rows outlive all that they name. */
export interface AuditEventsTable {
  id: Id;
  /** Below zero where it was no user. */
  author_id: number;
  entity_type: AuditEntityType;
  entity_id: number;
  event_name: string;
  /** Who, what and from where, with names as they were then. */
  details: Json<Record<string, unknown>>;
  created_at: Timestamp;
}
export type AuditEvent = Selectable<AuditEventsTable>;

export const auditEventsOwnership: Ownership<AuditEventsTable> = { plain: ['entity_type'] };
