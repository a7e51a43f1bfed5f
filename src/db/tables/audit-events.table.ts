import type { ColumnType, Selectable } from 'kysely';
import type { Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** The platform's names of audit entities. */
export const AUDIT_ENTITY_TYPES = ['User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope'] as const;
export type AuditEntityType = (typeof AUDIT_ENTITY_TYPES)[number];

/** Audit events. Rows outlive all objects that they name. */
export interface AuditEventsTable {
  id: Id;
  /** Negative if the author is not a user. */
  author_id: number;
  entity_type: AuditEntityType;
  entity_id: number;
  event_name: string;
  /** Author, change and source, with the names of that time. */
  details: Json<Record<string, unknown>>;
  /** Type and id of the changed object; null without an id, and in old events until a job fills it in. */
  target: ColumnType<string | null, string | null | undefined>;
  created_at: Timestamp;
}
export type AuditEvent = Selectable<AuditEventsTable>;

export const auditEventsOwnership: Ownership<AuditEventsTable> = { plain: ['entity_type'] };
