import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Status of an import or an entity: stored numbers by the names in answers. */
export const IMPORT_STATUS = { created: 0, started: 1, finished: 2, timeout: 3, failed: -1, canceled: -2 } as const;
export type ImportStatus = (typeof IMPORT_STATUS)[keyof typeof IMPORT_STATUS];

/** Imports of groups and projects from another server. */
export interface BulkImportsTable {
  id: Id;
  user_id: number;
  /** Base URL of the other server, without a trailing slash. */
  source_url: string;
  /** Access token for the other server, encrypted; null after the import has ended. */
  token: string | null;
  status: Defaulted<ImportStatus>;
  has_failures: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type BulkImport = Selectable<BulkImportsTable>;
