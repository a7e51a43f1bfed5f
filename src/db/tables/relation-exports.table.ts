import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** How far an export of a relation is, as answers show it. */
export const EXPORT_STATUS = { started: 0, finished: 1, failed: -1 } as const;
export type ExportStatus = (typeof EXPORT_STATUS)[keyof typeof EXPORT_STATUS];

/** The `relation` of an archive of a whole project: no list of relations shows it. */
export const WHOLE = '(all)';

/** What a group or project has of one kind, as a file to be taken elsewhere. */
export interface RelationExportsTable {
  id: Id;
  /** Either of the two is set. */
  project_id: number | null;
  group_id: number | null;
  relation: string;
  status: ExportStatus;
  batched: Bit;
  /** Who asked for it. */
  user_id: number | null;
  /** Of an archive: whether its making has begun. */
  batches_count: Defaulted<number>;
  total_objects_count: Defaulted<number>;
  error: string | null;
  /** Of its file; null while there is none, and where it comes in batches. */
  sha256: string | null;
  /** Bytes. */
  size: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type RelationExport = Selectable<RelationExportsTable>;
