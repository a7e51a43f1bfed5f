import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { ImportStatus } from './bulk-imports.table.ts';

/** A group or project imported from another server. */
export interface BulkImportEntitiesTable {
  id: Id;
  bulk_import_id: number;
  /** The group that it is imported with. */
  parent_id: number | null;
  entity_type: 'group' | 'project';
  source_full_path: string;
  destination_name: string;
  destination_slug: string;
  /** Full path; empty for a top-level group. */
  destination_namespace: string;
  /** The imported group or project, once it exists. */
  namespace_id: number | null;
  project_id: number | null;
  status: Defaulted<ImportStatus>;
  migrate_projects: Bit;
  migrate_memberships: Bit;
  has_failures: Defaulted<Bit>;
  /** Path of its repository, so that a repeated run finds its earlier work. */
  disk_path: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type BulkImportEntity = Selectable<BulkImportEntitiesTable>;

export const bulkImportEntitiesOwnership: Ownership<BulkImportEntitiesTable> = { plain: ['entity_type'] };
