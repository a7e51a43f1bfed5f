import type { Static } from 'typebox';
import type { Db } from '../../../db/db.schema.ts';
import type { RelationExport } from '../../../db/tables/relation-exports.table.ts';
import { batchesOf } from '../../../import-export/exports/export.find.ts';
import type { RelationExportStatus } from './relation-exports.responses.ts';

/** Renders exports with their batches. */
export async function presentExports(
  db: Db,
  exports: readonly RelationExport[],
): Promise<Static<typeof RelationExportStatus>[]> {
  const batches = Map.groupBy(await batchesOf(db, exports), ({ export_id }) => export_id);
  return exports.map((row) => ({
    relation: row.relation,
    status: row.status,
    error: row.error,
    updated_at: row.updated_at,
    batched: row.batched === 1,
    batches_count: row.batches_count,
    total_objects_count: row.total_objects_count,
    ...(row.batched === 0
      ? {}
      : {
          batches: (batches.get(row.id) ?? []).map((batch) => ({
            status: batch.status,
            batch_number: batch.batch_number,
            objects_count: batch.objects_count,
            error: batch.error,
            updated_at: batch.updated_at,
          })),
        }),
  }));
}
