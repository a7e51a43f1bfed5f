import type { Selectable } from 'kysely';
import type { Bit, Defaulted } from '../columns.ts';

/** How far a relation of an entity has come; moved in the transaction that writes its objects. */
export interface BulkImportTrackersTable {
  entity_id: number;
  relation: string;
  /** Number of the file that is being read, and lines of it that are done. */
  batch: Defaulted<number>;
  line: Defaulted<number>;
  /** Objects that there are, that have come, and that were written. */
  source: Defaulted<number>;
  fetched: Defaulted<number>;
  imported: Defaulted<number>;
  done: Defaulted<Bit>;
}
export type BulkImportTracker = Selectable<BulkImportTrackersTable>;
