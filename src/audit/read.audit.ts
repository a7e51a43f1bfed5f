import { type SqlBool, sql } from 'kysely';
import { recordNotFound } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { AuditEvent } from '../db/tables/audit-events.table.ts';
import { type AuditEntity, type AuditTarget, targetKey } from './record.audit.ts';

/** Which audit events to read; each combination of them has an index. */
export interface AuditFilters {
  created_after?: string | undefined;
  created_before?: string | undefined;
  entity_type?: AuditEntity['type'] | undefined;
  /** Requires `entity_type`. */
  entity_id?: number | undefined;
  author_id?: number | undefined;
  /** The last event of the page before. */
  after?: { value: string; id: number } | undefined;
}

const newestFirst = (db: Db) =>
  db.selectFrom('audit_events').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');

/**
 * Audit events that match the filters, newest first.
 * @param authorId only events of this author, whatever the filters say
 */
export function auditEvents(db: Db, filters: AuditFilters, authorId?: number) {
  const { created_after, created_before, entity_type, entity_id, author_id, after } = filters;
  let query = newestFirst(db);
  if (entity_type !== undefined) query = query.where('entity_type', '=', entity_type);
  if (entity_id !== undefined) query = query.where('entity_id', '=', entity_id);
  if (author_id !== undefined) query = query.where('author_id', '=', author_id);
  if (authorId !== undefined) query = query.where('author_id', '=', authorId);
  if (created_after !== undefined) query = query.where('created_at', '>=', created_after);
  if (created_before !== undefined) query = query.where('created_at', '<=', created_before);
  if (after === undefined) return query;
  return query.where(() => sql<SqlBool>`(created_at, id) < (${after.value}, ${after.id})`);
}

/**
 * The history of a changed object, such as a feature flag: its audit events, newest first. After an upgrade from a
 * version without targets, old events appear as a job fills them in (`fill-targets.audit.ts`).
 */
export const auditHistory = (db: Db, target: Pick<AuditTarget, 'type'> & { id: number | string }) =>
  newestFirst(db).where('target', '=', targetKey(target));

/** Finds an audit event, of the given entity if there is one. @throws ApiError 404 */
export async function findAuditEvent(
  db: Db,
  id: number,
  entity?: Pick<AuditEntity, 'type' | 'id'>,
): Promise<AuditEvent> {
  let query = db.selectFrom('audit_events').selectAll().where('id', '=', id);
  if (entity !== undefined) query = query.where('entity_type', '=', entity.type).where('entity_id', '=', entity.id);
  return query.executeTakeFirstOrThrow(recordNotFound);
}
