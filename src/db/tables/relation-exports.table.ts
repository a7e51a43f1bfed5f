import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Status of a relation export, as in answers. */
export const EXPORT_STATUS = { started: 0, finished: 1, failed: -1 } as const;
export type ExportStatus = (typeof EXPORT_STATUS)[keyof typeof EXPORT_STATUS];

/** The `relation` of an archive of a whole project, which is not in lists of relations. */
export const WHOLE_PROJECT = '(all)';

/** Exports of one relation of a group or project as a file. */
export interface RelationExportsTable {
  id: Id;
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  relation: string;
  status: ExportStatus;
  batched: Bit;
  /** The user who requested it. */
  user_id: number | null;
  /** For archives: whether the export has begun. */
  batches_count: Defaulted<number>;
  total_objects_count: Defaulted<number>;
  error: string | null;
  /** Digest of its file; null before it exists, and for batched exports. */
  sha256: string | null;
  /** Size in bytes. */
  size: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type RelationExport = Selectable<RelationExportsTable>;
