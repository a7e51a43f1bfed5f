import type { Db } from '../../db/db.schema.ts';
import type { RelationExportBatch } from '../../db/tables/relation-export-batches.table.ts';
import { type RelationExport, WHOLE_PROJECT } from '../../db/tables/relation-exports.table.ts';
import type { Portable } from '../relations/relation.ts';

type Named = Pick<Portable, 'kind' | 'id'>;

/** Exports of a group or project, one per relation, in the order of their start. */
export const exportsOf = (db: Db, { kind, id }: Named): Promise<RelationExport[]> =>
  db
    .selectFrom('relation_exports')
    .selectAll()
    .where(`${kind}_id`, '=', id)
    .where('relation', '!=', WHOLE_PROJECT)
    .orderBy('id')
    .execute();

/** Finds the export of one relation. */
export const findExport = (db: Db, { kind, id }: Named, relation: string): Promise<RelationExport | undefined> =>
  db
    .selectFrom('relation_exports')
    .selectAll()
    .where(`${kind}_id`, '=', id)
    .where('relation', '=', relation)
    .where('relation', '!=', WHOLE_PROJECT)
    .executeTakeFirst();

/** Batches of exports, in the order of their numbers. */
export const batchesOf = async (db: Db, exports: readonly RelationExport[]): Promise<RelationExportBatch[]> =>
  db
    .selectFrom('relation_export_batches')
    .selectAll()
    .where(
      'export_id',
      'in',
      exports.filter(({ batched }) => batched === 1).map(({ id }) => id),
    )
    .orderBy('export_id')
    .orderBy('batch_number')
    .execute();

/** Finds a batch of an export. */
export const findBatch = (db: Db, exportId: number, number: number): Promise<RelationExportBatch | undefined> =>
  db
    .selectFrom('relation_export_batches')
    .selectAll()
    .where('export_id', '=', exportId)
    .where('batch_number', '=', number)
    .executeTakeFirst();
