import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { PackageType } from './packages.table.ts';

/** Names for versions: the dist-tags of npm, of which a package has each once; the tags of NuGet. */
export interface PackageTagsTable {
  id: Id;
  project_id: number;
  package_id: number;
  package_type: PackageType;
  /** That of the package. */
  name_key: string;
  name: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export const packageTagsOwnership: Ownership<PackageTagsTable> = { plain: ['package_type'] };
