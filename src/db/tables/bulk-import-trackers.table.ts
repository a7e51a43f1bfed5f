import type { Selectable } from 'kysely';
import type { Bit, Defaulted } from '../columns.ts';

/** Progress of a relation of an entity; updated in the transaction that writes its objects. */
export interface BulkImportTrackersTable {
  entity_id: number;
  relation: string;
  /** Number of the current file, and of its processed lines. */
  batch: Defaulted<number>;
  line: Defaulted<number>;
  /** Numbers of objects at the source, fetched, and written. */
  source: Defaulted<number>;
  fetched: Defaulted<number>;
  imported: Defaulted<number>;
  done: Defaulted<Bit>;
}
export type BulkImportTracker = Selectable<BulkImportTrackersTable>;
