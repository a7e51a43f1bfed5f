import type { Ownership } from '../ownership.ts';

/** Indexed substrings of package names, one for each start position, for searches. */
export interface PackageNamePartsTable {
  name_id: number;
  project_id: number;
  package_type: string;
  /** At most 32 characters. */
  part: string;
}

export const packageNamePartsOwnership: Ownership<PackageNamePartsTable> = { plain: ['package_type'] };
