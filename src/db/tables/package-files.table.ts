import type { Selectable } from 'kysely';
import type { Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Files of packages; the bytes are in the blob store. */
export interface PackageFilesTable {
  id: Id;
  package_id: number;
  file_name: string;
  status: Defaulted<'default' | 'pending_destruction'>;
  /** Bytes. */
  size: number;
  sha256: string;
  md5: string | null;
  sha1: string | null;
  /** What only its registry reads. */
  metadata: DefaultedJson<unknown>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type PackageFile = Selectable<PackageFilesTable>;
