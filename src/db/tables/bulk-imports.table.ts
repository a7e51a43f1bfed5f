import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** How far an import, or one of its entities, is: numbers as they are stored, words as answers show them. */
export const IMPORT_STATUS = { created: 0, started: 1, finished: 2, timeout: 3, failed: -1, canceled: -2 } as const;
export type ImportStatus = (typeof IMPORT_STATUS)[keyof typeof IMPORT_STATUS];

/** Groups and projects that come from another server together. */
export interface BulkImportsTable {
  id: Id;
  user_id: number;
  /** Base address of the other server, without a trailing slash. */
  source_url: string;
  /** Shown to the other server, sealed here; null once the import has ended. */
  token: string | null;
  status: Defaulted<ImportStatus>;
  has_failures: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type BulkImport = Selectable<BulkImportsTable>;
