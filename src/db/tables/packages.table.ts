import type { Selectable } from 'kysely';
import type { Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Package statuses (part 1, section 3). */
export const PACKAGE_STATUSES = [
  'default',
  'hidden',
  'processing',
  'error',
  'pending_destruction',
  'deprecated',
] as const;
export type PackageStatus = (typeof PACKAGE_STATUSES)[number];

/** Package versions of all registries. */
export interface PackagesTable {
  id: Id;
  project_id: number;
  /** Name of its kind. */
  package_type: string;
  name: string;
  /** Null for files of a package without a version. */
  version: string | null;
  /** Normalized name and version: unique within project and type, except for packages being removed. */
  name_key: string;
  version_key: string;
  status: Defaulted<PackageStatus>;
  /** Reason for the status `error` or `deprecated`. */
  status_message: string | null;
  creator_id: number | null;
  /** Data that only its registry reads. */
  metadata: DefaultedJson<unknown>;
  created_at: Timestamp;
  updated_at: Timestamp;
  last_downloaded_at: Timestamp | null;
}
export type Package = Selectable<PackagesTable>;

export const packagesOwnership: Ownership<PackagesTable> = {
  plain: ['package_type'],
};
