import type { Static } from 'typebox';
import { parseJson } from '../../../db/columns.ts';
import type { AuditEvent } from '../../../db/tables/audit-events.table.ts';
import type { AuditEventEntity } from './audit-events.responses.ts';

type Json = Static<typeof AuditEventEntity>;

/** An audit event as responses show it. */
export const presentAuditEvent = (row: AuditEvent): Json => ({
  id: row.id,
  author_id: row.author_id,
  entity_id: row.entity_id,
  entity_type: row.entity_type,
  event_name: row.event_name,
  details: parseJson<Json['details']>(row.details),
  created_at: row.created_at,
});
