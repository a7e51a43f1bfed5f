import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { ExportStatus } from './relation-exports.table.ts';

/** Files of a batched export. */
export interface RelationExportBatchesTable {
  id: Id;
  export_id: number;
  /** From 1. */
  batch_number: number;
  status: ExportStatus;
  objects_count: number;
  /** Key of its last object, after which the next batch begins. */
  last_key: number;
  error: string | null;
  sha256: string;
  /** Size in bytes. */
  size: number;
  updated_at: Timestamp;
}
export type RelationExportBatch = Selectable<RelationExportBatchesTable>;
