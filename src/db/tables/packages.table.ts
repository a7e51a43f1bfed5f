import type { Selectable } from 'kysely';
import type { Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** The registries that packages come through, as the API names them. */
export const PACKAGE_TYPES = [
  'composer',
  'conan',
  'generic',
  'golang',
  'helm',
  'maven',
  'npm',
  'nuget',
  'pypi',
  'terraform_module',
] as const;
export type PackageType = (typeof PACKAGE_TYPES)[number];

/** What becomes of packages (part 1, section 3). */
export const PACKAGE_STATUSES = [
  'default',
  'hidden',
  'processing',
  'error',
  'pending_destruction',
  'deprecated',
] as const;
export type PackageStatus = (typeof PACKAGE_STATUSES)[number];

/** Versions of packages of all registries. */
export interface PackagesTable {
  id: Id;
  project_id: number;
  package_type: PackageType;
  name: string;
  /** Null where a registry keeps files of a package that are of no version. */
  version: string | null;
  /** What the registry holds to be one name, or one version: unique within project and type, but for what is going away. */
  name_key: string;
  version_key: string;
  status: Defaulted<PackageStatus>;
  /** Why the status is `error`, or `deprecated`. */
  status_message: string | null;
  creator_id: number | null;
  /** What only its registry reads. */
  metadata: DefaultedJson<unknown>;
  created_at: Timestamp;
  updated_at: Timestamp;
  last_downloaded_at: Timestamp | null;
}
export type Package = Selectable<PackagesTable>;

export const packagesOwnership: Ownership<PackagesTable> = {
  plain: ['package_type'],
};
