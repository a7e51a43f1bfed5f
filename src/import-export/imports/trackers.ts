import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { BulkImportEntity } from '../../db/tables/bulk-import-entities.table.ts';
import type { BulkImportTracker } from '../../db/tables/bulk-import-trackers.table.ts';
import { IMPORT_STATUS } from '../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../deps.ts';
import type { Progress } from './write-objects.ts';

/** The import was cancelled, or its destination is gone. */
export class ImportStopped extends Error {
  override name = 'ImportStopped';
}

/** Maximum number of stored failures of an entity. */
const MAX_FAILURES = 1_000;

/** The tracker of a relation of an entity; created on first use. */
export async function trackerOf(db: Db, entityId: number, relation: string): Promise<BulkImportTracker> {
  await db
    .insertInto('bulk_import_trackers')
    .values({ entity_id: entityId, relation })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db
    .selectFrom('bulk_import_trackers')
    .selectAll()
    .where('entity_id', '=', entityId)
    .where('relation', '=', relation)
    .executeTakeFirstOrThrow();
}

/** Updates a tracker. */
export async function setTracker(
  db: Db,
  entityId: number,
  relation: string,
  columns: Partial<Omit<BulkImportTracker, 'entity_id' | 'relation'>>,
): Promise<void> {
  await db
    .updateTable('bulk_import_trackers')
    .set(columns)
    .where('entity_id', '=', entityId)
    .where('relation', '=', relation)
    .execute();
}

/** Records an object that could not be imported. */
export async function recordFailure(
  deps: Deps,
  db: Db,
  entityId: number,
  failure: { relation: string; kind: string; message: string; title?: string | null },
): Promise<void> {
  await db.updateTable('bulk_import_entities').set({ has_failures: 1 }).where('id', '=', entityId).execute();
  const last = await db
    .selectFrom('bulk_import_failures')
    .select('id')
    .where('entity_id', '=', entityId)
    .orderBy('id')
    .offset(MAX_FAILURES - 1)
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) return;
  await db
    .insertInto('bulk_import_failures')
    .values({
      entity_id: entityId,
      relation: failure.relation,
      exception_class: failure.kind,
      exception_message: failure.message,
      source_title: failure.title ?? null,
      created_at: timestamp(deps.clock),
    })
    .execute();
}

/** Checks, in the transaction that writes for an entity, that its import is still running. @throws ImportStopped */
export async function requireStarted(deps: Deps, db: Db, entity: Pick<BulkImportEntity, 'id'>): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('bulk_import_entities')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', entity.id)
    .where('status', '=', IMPORT_STATUS.started)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ImportStopped();
}

/** Records the progress of one file of a relation. */
export function progressOf(
  deps: Deps,
  entity: Pick<BulkImportEntity, 'id'>,
  relation: string,
  skip: number,
  signal: AbortSignal,
): Progress {
  return {
    skip,
    advance: async (db, done, written) => {
      await requireStarted(deps, db, entity);
      await db
        .updateTable('bulk_import_trackers')
        .set((eb) => ({
          line: eb('line', '+', done),
          fetched: eb('fetched', '+', done),
          imported: eb('imported', '+', written),
        }))
        .where('entity_id', '=', entity.id)
        .where('relation', '=', relation)
        .execute();
    },
    fail: (db, { kind, message, title }) => recordFailure(deps, db, entity.id, { relation, kind, message, title }),
    check: () => signal.throwIfAborted(),
  };
}
