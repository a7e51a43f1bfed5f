import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Parts of an entity that could not be imported. */
export interface BulkImportFailuresTable {
  id: Id;
  entity_id: number;
  relation: string;
  exception_class: string;
  exception_message: string;
  source_title: string | null;
  created_at: Timestamp;
}
export type BulkImportFailure = Selectable<BulkImportFailuresTable>;
