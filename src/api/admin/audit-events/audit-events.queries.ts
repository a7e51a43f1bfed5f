import { type SqlBool, sql } from 'kysely';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { AuditEntityType, AuditEvent } from '../../../db/tables/audit-events.table.ts';
import { readTextCursor } from '../../../http/http.cursor.ts';
import type { AuditEventFilters } from './audit-events.inputs.ts';

/** An entity that events are about. */
export interface EntityOf {
  type: AuditEntityType;
  id: number;
}

/**
 * Audit events that match the filters, newest first.
 * @param authorId only events of this author, whatever the filters say
 * @throws ApiError 400 for an invalid cursor
 */
export function auditEvents(db: Db, filters: AuditEventFilters, authorId?: number) {
  const { created_after, created_before, entity_type, entity_id, author_id, cursor } = filters;
  let query = db.selectFrom('audit_events').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (entity_type !== undefined) query = query.where('entity_type', '=', entity_type);
  if (entity_id !== undefined) query = query.where('entity_id', '=', entity_id);
  if (author_id !== undefined) query = query.where('author_id', '=', author_id);
  if (authorId !== undefined) query = query.where('author_id', '=', authorId);
  if (created_after !== undefined) query = query.where('created_at', '>=', created_after);
  if (created_before !== undefined) query = query.where('created_at', '<=', created_before);
  if (filters.pagination !== 'keyset' || cursor === undefined || cursor === '') return query;
  const { value: instant, id } = readTextCursor(cursor);
  return query.where(() => sql<SqlBool>`(created_at, id) < (${instant}, ${id})`);
}

/** Finds an audit event, of the given entity if there is one. @throws ApiError 404 */
export async function findAuditEvent(db: Db, id: number, entity?: EntityOf): Promise<AuditEvent> {
  let query = db.selectFrom('audit_events').selectAll().where('id', '=', id);
  if (entity !== undefined) query = query.where('entity_type', '=', entity.type).where('entity_id', '=', entity.id);
  const row = await query.executeTakeFirst();
  if (row === undefined) throw recordNotFound();
  return row;
}
