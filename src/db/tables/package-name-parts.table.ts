import type { Ownership } from '../ownership.ts';
import type { PackageType } from './packages.table.ts';

/** What begins at each character of a name: that a text is a part of the name says an index on these. */
export interface PackageNamePartsTable {
  name_id: number;
  project_id: number;
  package_type: PackageType;
  /** At most 32 characters. */
  part: string;
}

export const packageNamePartsOwnership: Ownership<PackageNamePartsTable> = { plain: ['package_type'] };
