import type { Id } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Distinct package names of projects, for searches. */
export interface PackageNamesTable {
  id: Id;
  project_id: number;
  package_type: string;
  name_key: string;
  /** Lower case; names with several spellings have a row for each. */
  name: string;
}

export const packageNamesOwnership: Ownership<PackageNamesTable> = { plain: ['package_type'] };
