import type { Selectable } from 'kysely';
import type { Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Files of packages; the content is in the blob store. */
export interface PackageFilesTable {
  id: Id;
  package_id: number;
  file_name: string;
  status: Defaulted<'default' | 'pending_destruction'>;
  /** Size in bytes. */
  size: number;
  sha256: string;
  md5: string | null;
  sha1: string | null;
  /** Data that only its registry reads. */
  metadata: DefaultedJson<unknown>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type PackageFile = Selectable<PackageFilesTable>;
