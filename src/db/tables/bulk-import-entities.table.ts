import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { ImportStatus } from './bulk-imports.table.ts';

/** A group or project that comes from another server. */
export interface BulkImportEntitiesTable {
  id: Id;
  bulk_import_id: number;
  /** The group with which it comes. */
  parent_id: number | null;
  entity_type: 'group' | 'project';
  source_full_path: string;
  destination_name: string;
  destination_slug: string;
  /** Full path; empty for a group under no other. */
  destination_namespace: string;
  /** What it has become, once it is there. */
  namespace_id: number | null;
  project_id: number | null;
  status: Defaulted<ImportStatus>;
  migrate_projects: Bit;
  migrate_memberships: Bit;
  has_failures: Defaulted<Bit>;
  /** Where its repository is made, so that a run that is repeated finds its own work. */
  disk_path: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type BulkImportEntity = Selectable<BulkImportEntitiesTable>;

export const bulkImportEntitiesOwnership: Ownership<BulkImportEntitiesTable> = { plain: ['entity_type'] };
