import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Tags of versions: npm dist-tags, of which a package has each once, and NuGet tags. */
export interface PackageTagsTable {
  id: Id;
  project_id: number;
  package_id: number;
  package_type: string;
  /** Name key of the package. */
  name_key: string;
  name: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export const packageTagsOwnership: Ownership<PackageTagsTable> = { plain: ['package_type'] };
